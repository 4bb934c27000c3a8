import { describe, expect, it } from "vitest";
import { RowLoan, isLarge } from "../../../src/client/engine/large-batches.js";
import { WorkerClient } from "../../../src/client/workers/worker-client.js";
import { Collator } from "../../../src/core/collate/collator.js";
import type { StackRequest } from "../../../src/transport/protocol.js";
import { hostTimer } from "../../../src/time/host-timer.js";
import { hostSite, UNHEARD } from "../../support/channel-worker.js";
import { doublingModel } from "../../support/doubling-model.js";
import { RUNTIMES } from "../../support/runtimes.js";

const LENGTH = 5000;
const RUN = { timeoutMs: 10_000, isDivided: false };

/** The real worker half with a model that doubles numbers, and the page's collator for it. */
async function openModel() {
  const site = hostSite();
  const client = new WorkerClient(site, 10_000, hostTimer, UNHEARD);
  await client.ready();
  const loaded = await client.load({
    location: { blob: new Blob([doublingModel()]), sha256: null },
    externalData: [],
    maxModelBytes: 1000,
    providers: ["wasm"],
    isAutomatic: false,
    batchAxis: {},
    padding: { x: { side: "left", value: 7 } },
    cache: false,
    integrity: null,
    warmup: false,
    found: [],
    samples: [],
    rebatch: false,
    verifyBudgetMs: null,
    maxBatchSize: 8,
    allowedBatchSizes: [],
    sessionOptions: {},
    providerOptions: {},
    agreement: { relative: null, absolute: 0 },
    signature: null,
    variants: [],
    runtimes: RUNTIMES,
    numThreads: 1,
    hasHandlers: false,
    stallTimeoutMs: 10_000,
  });
  if (loaded.outcome !== "ready") throw new Error(`expected a model, got ${loaded.outcome}`);
  const collator = new Collator(loaded.model.signature, loaded.model.padding);
  return { client, collator };
}

const filled = (length: number, value: number) => new Float32Array(length).fill(value);

describe("a batch that the worker stacks", () => {
  it("returns the rows' buffers before it runs, and splits its output into one result per row", async () => {
    const { client, collator } = await openModel();
    const items = [filled(LENGTH, 1), filled(3, 2), filled(LENGTH + 1, 3)];
    const rows = items.map((item) => collator.admit(item));
    const before = rows.map(({ data }) => data[0]);
    const loan = new RowLoan({ items: rows, paddedSize: 4, extents: [LENGTH + 1] });
    const stacking = loan.stackOn(client);
    expect(rows.map(({ data }) => data[0]?.length)).toEqual([0, 3, 0]);
    expect(await stacking).toBe("stacked");
    expect(rows.map(({ data }) => data[0])).toEqual(items);
    expect(rows.map(({ data }, index) => data[0] === before[index])).toEqual([false, true, false]);
    const reply = await client.run({ feeds: "stacked" }, RUN);
    const results = reply.ok && "results" in reply.reply ? reply.reply.results : [];
    expect(results.map(({ y }) => y)).toEqual(
      items.map((item) => ({ type: "float32", dims: [item.length], data: item.map((value) => 2 * value) })),
    );
    client.terminate(null);
  });

  it("can be lent again after a failed run", async () => {
    const { client, collator } = await openModel();
    const rows = [collator.admit(filled(LENGTH, 1))];
    const loan = new RowLoan({ items: rows, paddedSize: 1, extents: [LENGTH] });
    await loan.stackOn(client);
    await loan.stackOn(client);
    await expect(client.run({ feeds: "stacked" }, RUN)).resolves.toMatchObject({ ok: true });
    await expect(client.run({ feeds: "stacked" }, RUN)).resolves.toMatchObject({
      ok: false,
      error: { code: "INFERENCE_FAILED", message: "expected a stacked batch, got none" },
    });
    client.terminate(null);
  });

  it("fails when it runs if it cannot be stacked, and still returns the buffers", async () => {
    const { client, collator } = await openModel();
    const rows = [collator.admit(filled(LENGTH, 1))];
    await new RowLoan({ items: rows, paddedSize: 2 ** 40, extents: [LENGTH] }).stackOn(client);
    expect(rows[0]?.data).toEqual([filled(LENGTH, 1)]);
    await expect(client.run({ feeds: "stacked" }, RUN)).resolves.toMatchObject({
      ok: false,
      error: { code: "OUT_OF_MEMORY" },
    });
    client.terminate(null);
  });

  it("is lost with a worker that crashes while it holds the buffers, and reports the loss", async () => {
    const { collator } = await openModel();
    const loan = new RowLoan({ items: [collator.admit(filled(LENGTH, 1))], paddedSize: 1, extents: [LENGTH] });
    const dying = {
      stack: (request: StackRequest, buffers: ArrayBuffer[]) => {
        structuredClone(request, { transfer: buffers });
        return Promise.reject(new Error("it died"));
      },
    };
    await expect(loan.stackOn(dying)).rejects.toThrow("it died");
    await expect(loan.stackOn(dying)).rejects.toMatchObject({ code: "WORKER_CRASHED" });
  });

  it("keeps its buffers if the worker crashed before the loan", async () => {
    const { client, collator } = await openModel();
    const row = collator.admit(filled(LENGTH, 1));
    client.terminate(new Error("it died"));
    await expect(new RowLoan({ items: [row], paddedSize: 1, extents: [LENGTH] }).stackOn(client)).rejects.toThrow(
      "it died",
    );
    expect(row.data).toEqual([filled(LENGTH, 1)]);
  });

  it("gets its buffers back from a worker that is being terminated", async () => {
    const { client, collator } = await openModel();
    const row = collator.admit(filled(LENGTH, 1));
    const stacking = new RowLoan({ items: [row], paddedSize: 1, extents: [LENGTH] }).stackOn(client);
    client.terminate(new Error("it died"));
    await expect(stacking).resolves.toBe("stacked");
    expect(row.data).toEqual([filled(LENGTH, 1)]);
    await expect(client.run({ feeds: "stacked" }, RUN)).rejects.toThrow("it died");
  });
});

describe("a batch", () => {
  it.each([
    [32, 32 * 602_112, true],
    [2, 2 * 602_112, true],
    [1, 602_112, false],
    [256, 256 * 3136, false],
    [256, 256 * 8192, false],
  ])("of %d rows and %d bytes in total is large: %s", (rows, bytes, expected) => {
    expect(isLarge(rows, bytes)).toBe(expected);
  });
});
