import { describe, expect, it } from "vitest";
import { TensorBatches } from "../../../src/client/engine/tensor-batches.js";
import { WorkerClient } from "../../../src/client/workers/worker-client.js";
import { Collator } from "../../../src/core/collate/collator.js";
import type { PreparedItem } from "../../../src/core/collate/prepared-item.js";
import type { Batch } from "../../../src/core/engine/engine.js";
import { planPadding } from "../../../src/core/padding/plan.js";
import { hostTimer } from "../../../src/time/host-timer.js";
import type { RunRequest } from "../../../src/transport/protocol.js";
import { channelSite, UNHEARD } from "../../support/channel-worker.js";
import { ANSWER, ready, scripted } from "../../support/scripted-plan.js";

const dims = { dims: [null, 2], symbols: ["batch", null], batchAxis: 0 } as const;
const signature = {
  inputs: [{ name: "x", type: "float32", ...dims }],
  outputs: [{ name: "y", type: "float32", ...dims }],
  fixedBatch: null,
} as const;

/** Runs a batch several times, as after the ends of its workers. Returns whether each run may be merged. */
async function attempts(count: number, changes: Partial<Batch<PreparedItem>> = {}): Promise<unknown[]> {
  const requests: RunRequest[] = [];
  const run = async (request: RunRequest) => {
    requests.push(request);
    return ANSWER;
  };
  const site = channelSite(() => scripted({ load: async () => ready("wasm"), run }));
  const client = new WorkerClient(site, 10_000, hostTimer, UNHEARD);
  await client.ready();
  const collator = new Collator(signature, planPadding(signature, {}));
  const items = [collator.admit({ x: [1, 2] })];
  const batch = { id: 1, items, paddedSize: 1, extents: [], isAlone: false, predictedMs: null, ...changes };
  const prepared = new TensorBatches(collator).prepare({ reason: "idle", ...batch });
  for (let attempt = 0; attempt < count; attempt += 1) {
    await prepared.runOn(client, { timeoutMs: 10_000, isDivided: false });
  }
  client.terminate(null);
  return requests.map(({ mayMerge }) => mayMerge);
}

describe("whether a shared worker may run a batch with those of other tabs", () => {
  it("is true once: a run that is repeated may have ended a worker", async () => {
    expect(await attempts(3)).toEqual([true, false, false]);
  });

  it("is false for an item that runs alone, and for a step of a failure search", async () => {
    expect(await attempts(1, { isAlone: true })).toEqual([false]);
    expect(await attempts(1, { reason: "retry" })).toEqual([false]);
  });
});
