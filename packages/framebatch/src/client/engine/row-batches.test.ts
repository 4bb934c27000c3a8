import { describe, expect, it } from "vitest";
import { moveBuffer } from "../model/item-kind.js";
import { RowBatches } from "./row-batches.js";
import { WorkerClient } from "../workers/worker-client.js";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { RunReply, RunRequest } from "../../transport/protocol.js";
import type { ServedApi } from "../../transport/transport.js";
import { channelSite, hostSite, UNHEARD } from "../../../test/support/channel-worker.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { ANSWER, errorData, LOAD_REQUEST, ready, scripted } from "../../../test/support/scripted-plan.js";

const RUN = { timeoutMs: 10_000, isDivided: false };

/** Length of a large row. */
const LENGTH = 20_000;

const dims = { dims: [null, null], symbols: ["batch", null], batchAxis: 0 } as const;
const signature = {
  inputs: [{ name: "x", type: "float32", ...dims }],
  outputs: [{ name: "y", type: "float32", ...dims }],
  fixedBatch: null,
} as const;

function readerOf(): InputReader {
  return InputReader.for(signature, planPadding(signature, {}));
}

function batchOf(items: readonly PreparedItem[], changes: Partial<Batch<PreparedItem>> = {}): Batch<PreparedItem> {
  const extents = items[0]?.shape.extents ?? [];
  const size = { paddedSize: items.length, extents, isAlone: false };
  return { id: 1, items, predictedMs: null, reason: "idle", ...size, ...changes };
}

async function started(serve: () => ServedApi): Promise<WorkerClient> {
  const client = new WorkerClient(channelSite(serve), 10_000, hostTimer, UNHEARD);
  await client.ready();
  return client;
}

describe("whether a shared worker may run a batch with those of other tabs", () => {
  /** Runs a batch several times, as after the ends of its workers. Returns whether each run may be merged. */
  async function attempts(count: number, changes: Partial<Batch<PreparedItem>> = {}): Promise<unknown[]> {
    const requests: RunRequest[] = [];
    const run = async (request: RunRequest) => {
      requests.push(request);
      return ANSWER;
    };
    const client = await started(() => scripted({ load: async () => ready("wasm"), run }));
    const reader = readerOf();
    const prepared = new RowBatches(reader, false).prepare(batchOf([reader.admit({ x: [1, 2] })], changes));
    for (let attempt = 0; attempt < count; attempt += 1) await prepared.runOn(client, RUN);
    client.terminate(null);
    return requests.map((request) => "mayMerge" in request && request.mayMerge);
  }

  it("is true once: a run that is repeated may have ended a worker", async () => {
    expect(await attempts(3)).toEqual([true, false, false]);
  });

  it("is false for an item that runs alone, and for a step of a failure search", async () => {
    expect(await attempts(1, { isAlone: true })).toEqual([false]);
    expect(await attempts(1, { reason: "retry" })).toEqual([false]);
  });
});

describe("large rows", () => {
  /** Admits one item that its caller keeps, and one that it gives away. */
  function admitted(reader: InputReader): PreparedItem[] {
    const kept = reader.admit(new Float32Array(LENGTH).fill(1));
    const given = reader.admit(new Float32Array(LENGTH).fill(2), moveBuffer);
    given.take?.();
    return [kept, given];
  }

  const lengthsOf = (items: readonly PreparedItem[]) => items.map(({ data }) => data[0]?.length);

  const failed: RunReply = { ok: false, error: errorData("INFERENCE_FAILED"), fatal: false };

  /** A worker that replies to each run as it is told, and returns the rows if it fails. */
  function replying(...replies: readonly RunReply[]): () => ServedApi {
    let count = 0;
    return () => ({
      ...scripted({ load: async () => ready("wasm"), run: async () => ANSWER }),
      run: async (request) => {
        const reply = replies[count++] ?? ANSWER;
        const isBack = !reply.ok && "rows" in request;
        return { reply: isBack ? { ...reply, returned: request.rows } : reply, transfer: [] };
      },
    });
  }

  it("are answered by a worker with a model, and the page keeps those that were not given away", async () => {
    const client = new WorkerClient(hostSite(), 10_000, hostTimer, UNHEARD);
    await client.ready();
    const location = { blob: new Blob([doublingModel()]), sha256: null };
    const files = { location, externalData: [], variants: [] };
    await client.load({ ...LOAD_REQUEST, ...files, warmup: false, providers: ["wasm"] });
    const reader = readerOf();
    const items = admitted(reader);
    const prepared = new RowBatches(reader, false).prepare(batchOf(items));
    const running = prepared.runOn(client, RUN);
    expect(lengthsOf(items)).toEqual([LENGTH, 0]);
    const result = await running;
    if (!result.ok) throw result.error;
    const answers = prepared.resultsOf(result.reply).map((answer) => (answer instanceof Error ? answer : answer["y"]));
    expect(answers).toEqual(
      [2, 4].map((value) => ({ type: "float32", dims: [LENGTH], data: new Float32Array(LENGTH).fill(value) })),
    );
    client.terminate(null);
  });

  it("reach a second worker as they were, although the first one answers while they are copied for it", async () => {
    const received: unknown[] = [];
    const run = async (request: RunRequest) => {
      received.push("rows" in request && request.rows.columns[0]?.[2]);
      return ANSWER;
    };
    const client = await started(() => scripted({ load: async () => ready("wasm"), run }));
    const reader = readerOf();
    const items = [1e6, 1e6, 3].map((length) => reader.admit(new Float32Array(length).fill(1)));
    const prepared = new RowBatches(reader, false).prepare(batchOf(items));
    const first = await prepared.runOn(client, RUN);
    const second = prepared.runOn(client, RUN);
    if (first.ok) prepared.resultsOf({ ...first.reply, outputs: {} });
    reader.admit(new Float32Array(3).fill(2));
    await second;
    expect(received).toEqual([Float32Array.of(1, 1, 1), Float32Array.of(1, 1, 1)]);
    client.terminate(null);
  });

  it("come back from a run that fails, and run again", async () => {
    const client = await started(replying(failed));
    const reader = readerOf();
    const items = admitted(reader);
    const prepared = new RowBatches(reader, false).prepare(batchOf(items));
    expect(await prepared.runOn(client, RUN)).toMatchObject({ ok: false });
    expect(items.map(({ data }) => data[0])).toEqual([1, 2].map((value) => new Float32Array(LENGTH).fill(value)));
    expect(await prepared.runOn(client, RUN)).toMatchObject({ ok: true });
    client.terminate(null);
  });

  it("come back from a run whose worker can run nothing more, for the next worker", async () => {
    const client = await started(replying({ ...failed, fatal: true }));
    const reader = readerOf();
    const items = admitted(reader);
    const prepared = new RowBatches(reader, false).prepare(batchOf(items));
    await expect(prepared.runOn(client, RUN)).rejects.toMatchObject({ code: "INFERENCE_FAILED" });
    expect(lengthsOf(items)).toEqual([LENGTH, LENGTH]);
  });

  it("are lost with a worker that dies, if they had moved there; the others run on the next one", async () => {
    const silent = () => scripted({ load: async () => ready("wasm"), run: () => new Promise<never>(() => undefined) });
    const dying = await started(silent);
    const reader = readerOf();
    const items = admitted(reader);
    const prepared = new RowBatches(reader, false).prepare(batchOf(items));
    const running = prepared.runOn(dying, RUN);
    dying.terminate(new Error("it died"));
    await expect(running).rejects.toThrow("it died");
    const y = { type: "float32", dims: [1, 1], data: Float32Array.of(7) } as const;
    const client = await started(replying({ ok: true, outputs: { y }, inferenceMs: 1 }));
    const result = await prepared.runOn(client, RUN);
    if (!result.ok) throw result.error;
    expect(prepared.resultsOf(result.reply)).toMatchObject([{ y: { dims: [1] } }, { code: "WORKER_CRASHED" }]);
    client.terminate(null);
  });

  it("stay on the page if more than a worker may need them", async () => {
    const client = await started(replying());
    const reader = readerOf();
    const items = admitted(reader);
    const prepared = new RowBatches(reader, true).prepare(batchOf(items));
    await prepared.runOn(client, RUN);
    expect(lengthsOf(items)).toEqual([LENGTH, LENGTH]);
    client.terminate(null);
  });

  it("are answered by a worker that is ended on purpose while it runs them", async () => {
    let answer = (): void => undefined;
    const run = () => new Promise<RunReply>((resolve) => (answer = () => resolve(ANSWER)));
    const client = await started(() => scripted({ load: async () => ready("wasm"), run }));
    const reader = readerOf();
    const running = new RowBatches(reader, false).prepare(batchOf(admitted(reader))).runOn(client, RUN);
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.hasBorrowed).toBe(true);
    client.retire(null, 10_000);
    answer();
    expect(await running).toMatchObject({ ok: true });
  });
});
