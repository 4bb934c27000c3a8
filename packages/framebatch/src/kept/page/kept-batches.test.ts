import { describe, expect, it } from "vitest";
import { RowBatches } from "../../client/engine/row-batches.js";
import { admitHeld, DeviceHandle } from "./handles.js";
import { isSent, KeptBatches } from "./kept-batches.js";
import { KeptRow, type RowKeeps } from "./kept-row.js";
import { KeptTensors } from "./kept-tensors.js";
import type { RunResult } from "../../client/workers/pending-runs.js";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { RunRequest } from "../../transport/protocol.js";
import { settled } from "@framebatch/pipelines/test/held-stage.js";

const SIGNATURE = resolveSignature(
  [{ name: "x", type: "float32", shape: ["batch", 2] }],
  [
    { name: "y", type: "float32", shape: ["batch", 2] },
    { name: "z", type: "float32", shape: ["batch", 2] },
  ],
);
const RUN = { timeoutMs: 1000, isDivided: false };
const Y_ONLY: RowKeeps = { outputs: ["y"], needsOthers: false };
const EMPTY: Tensor = { type: "float32", dims: [2], data: new Float32Array(0) };

/** A worker that answers every run with the same numbers. */
function worker() {
  const client = {
    hasEnded: false,
    requests: [] as RunRequest[],
    released: [] as number[],
    notify: (notice: object) => {
      if ("released" in notice && Array.isArray(notice.released)) client.released.push(...notice.released.map(Number));
    },
    run: async (request: RunRequest): Promise<RunResult> => {
      client.requests.push(request);
      if (!("rows" in request)) throw new Error("expected rows");
      const list = Array.from({ length: request.rows.count }, () => EMPTY);
      return { ok: true, reply: { ok: true, outputs: { y: list, z: list }, inferenceMs: 1 } };
    },
  };
  return client;
}

function scene(maxBytes = 1e6) {
  const tensors = new KeptTensors(maxBytes);
  const reader = InputReader.for(SIGNATURE, planPadding(SIGNATURE));
  const admit = admitHeld((item) => reader.admit(item), SIGNATURE, tensors);
  const batches = new KeptBatches(new RowBatches(reader, false, isSent), tensors, SIGNATURE);
  const kept = (client: ReturnType<typeof worker>) => tensors.add(tensors.nextId(), EMPTY, client);
  return { tensors, batches, kept, admit: (item: unknown, keeps: RowKeeps | null = null) => admit(item, false, keeps) };
}

function batchOf(items: readonly PreparedItem[]): Batch<PreparedItem> {
  const { length: paddedSize } = items;
  return { id: 1, items, paddedSize, extents: [], isAlone: false, reason: "idle", predictedMs: null };
}

describe("a batch with rows that read or keep tensors", () => {
  it("tells the worker what each row reads, keeps and needs", async () => {
    const { batches, kept, admit } = scene();
    const client = worker();
    const tensor = kept(client);
    const rows = [admit({ x: tensor }, Y_ONLY), admit([1, 2], Y_ONLY), admit(tensor, Y_ONLY)];
    await batches.prepare(batchOf(rows)).runOn(client, RUN);
    expect(client.requests[0]).toMatchObject({
      rows: { count: 3, columns: [[null, Float32Array.of(1, 2), null]] },
      reads: [{ name: "x", ids: [tensor.id, null, tensor.id] }],
      keeps: [{ name: "y", ids: [2, 3, 4] }],
      wants: ["y"],
    });
  });

  it("asks for all outputs if a row needs them", async () => {
    const { batches, admit } = scene();
    const client = worker();
    await batches.prepare(batchOf([admit([1, 2], Y_ONLY), admit([3, 4])])).runOn(client, RUN);
    expect(client.requests[0]).toMatchObject({ keeps: [{ name: "y", ids: [1, null] }] });
    expect(client.requests[0]).not.toHaveProperty("wants");
  });

  it("sends no row whose tensor is lost, and answers it with DEVICE_LOST", async () => {
    const { batches, kept, admit } = scene();
    const [old, client] = [worker(), worker()];
    const rows = [admit(kept(old)), admit([1, 2]), admit(kept(client))];
    old.hasEnded = true;
    const prepared = batches.prepare(batchOf(rows));
    const result = await prepared.runOn(client, RUN);
    if (!result.ok) throw result.error;
    expect(client.requests[0]).toMatchObject({ rows: { count: 2 }, reads: [{ name: "x", ids: [null, 2] }] });
    const [lost, ...others] = prepared.resultsOf(result.reply);
    expect(lost).toMatchObject({ code: "DEVICE_LOST", details: { input: "x" } });
    expect(others).toEqual([
      { y: EMPTY, z: EMPTY },
      { y: EMPTY, z: EMPTY },
    ]);
  });

  it("sends no row that has settled while the batch waited for a worker: its tensor may be released", async () => {
    const { batches, kept, admit } = scene();
    const client = worker();
    const rows = [admit(kept(client)), admit([1, 2])];
    const prepared = batches.prepare(batchOf(rows));
    if (rows[0] instanceof KeptRow) rows[0].end();
    const result = await prepared.runOn(client, RUN);
    if (!result.ok) throw result.error;
    expect(client.requests[0]).toMatchObject({ rows: { count: 1 } });
    expect(prepared.resultsOf(result.reply)[1]).toEqual({ y: EMPTY, z: EMPTY });
  });

  it("keeps under new numbers when it runs again, and gives each row what the last run has kept", async () => {
    const { batches, admit, tensors } = scene();
    const client = worker();
    const row = admit([1, 2], Y_ONLY);
    const prepared = batches.prepare(batchOf([row]));
    await prepared.runOn(client, RUN);
    const result = await prepared.runOn(client, RUN);
    if (!result.ok) throw result.error;
    prepared.resultsOf(result.reply);
    if (!(row instanceof KeptRow)) throw new Error("expected a row that keeps");
    expect(row.takeKept()["y"]?.id).toBe(2);
    expect(tensors.bytes).toBe(8);
  });

  it("releases at once what it keeps for a request that has settled", async () => {
    const { batches, admit, tensors } = scene();
    const client = worker();
    const row = admit([1, 2], Y_ONLY);
    const prepared = batches.prepare(batchOf([row]));
    const result = await prepared.runOn(client, RUN);
    if (row instanceof KeptRow) row.end();
    if (result.ok) prepared.resultsOf(result.reply);
    await settled();
    expect([client.released, tensors.bytes]).toEqual([[1], 0]);
  });

  it.each<[string, (handle: DeviceHandle) => unknown]>([
    ["alone", (handle) => handle],
    ["by the name of an input", (handle) => ({ x: handle })],
    ["as a sample, which is a copy", (handle) => structuredClone(handle)],
  ])("a model outside any group says what the handle is that it gets: %s", (_, itemOf) => {
    const handle = new DeviceHandle(scene().kept(worker()), () => undefined);
    const message =
      'input "x": expected float32 [2], got the handle of a tensor on a device (float32 [2]); give it to a model of its group, or leave its output out of keepOnDevice';
    const reader = InputReader.for(SIGNATURE, planPadding(SIGNATURE));
    expect(() => reader.admit(itemOf(handle))).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message }));
  });

  it("a model with several inputs asks for their names, if it gets a handle alone", () => {
    const inputs = ["a", "b"].map((name) => ({ name, type: "float32", shape: ["batch", 2] }));
    const pair = resolveSignature(inputs, []);
    const reader = InputReader.for(pair, planPadding(pair));
    const { tensors, kept } = scene();
    const admit = admitHeld((item) => reader.admit(item), pair, tensors);
    const handle = new DeviceHandle(kept(worker()), () => undefined);
    const message = expect.stringMatching(
      /^input "a": expected float32 \[2\], got the handle of .*; write \{ "a": handle \}/,
    );
    expect(() => admit(handle, false, null)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message }));
  });

  it("keeps no more than there is room for when it is sent, however many were admitted before", async () => {
    const { batches, admit, tensors } = scene(20);
    const client = worker();
    const rows = Array.from({ length: 10 }, () => admit([1, 2], { outputs: ["y"], needsOthers: true }));
    const prepared = batches.prepare(batchOf(rows));
    const result = await prepared.runOn(client, RUN);
    if (!result.ok) throw result.error;
    const results = prepared.resultsOf(result.reply);
    const codes = results.map((one) => (one instanceof Error ? Reflect.get(one, "code") : "kept"));
    expect(codes).toEqual(["kept", "kept", "kept", ...Array.from({ length: 7 }, () => "OVERLOADED")]);
    expect([client.requests[0], tensors.bytes]).toMatchObject([{ rows: { count: 3 } }, 24]);
  });

  it("keeps no more for two runs at once than for one after the other", async () => {
    const { batches, admit, tensors } = scene(20);
    const client = worker();
    const keeps = { outputs: ["y"], needsOthers: true };
    const all = [0, 1].map(() => batches.prepare(batchOf([admit([1, 2], keeps), admit([3, 4], keeps)])));
    const results = await Promise.all(all.map((prepared) => prepared.runOn(client, RUN)));
    for (const [index, result] of results.entries()) if (result.ok) all[index]!.resultsOf(result.reply);
    expect(client.requests).toMatchObject([{ rows: { count: 2 } }, { rows: { count: 1 } }]);
    expect([tensors.bytes, tensors.hasRoom]).toEqual([24, false]);
  });

  it("gives the outputs of a link to the page when there is no room for them", async () => {
    const { batches, admit, tensors } = scene(8);
    const client = worker();
    const rows = [admit([1, 2], Y_ONLY), admit([3, 4], Y_ONLY)];
    const prepared = batches.prepare(batchOf(rows));
    const result = await prepared.runOn(client, RUN);
    if (!result.ok) throw result.error;
    expect(prepared.resultsOf(result.reply)[1]).toEqual({ y: EMPTY, z: EMPTY });
    expect(client.requests[0]).toMatchObject({ rows: { count: 2 }, keeps: [{ name: "y", ids: [1, null] }] });
    expect(tensors.bytes).toBe(8);
  });

  it("returns the room of a run that has failed", async () => {
    const { batches, admit, tensors } = scene(8);
    const broken = { ...worker(), run: () => Promise.reject(new Error("no worker")) };
    const prepared = batches.prepare(batchOf([admit([1, 2], Y_ONLY)]));
    await expect(prepared.runOn(broken, RUN)).rejects.toThrow("no worker");
    expect(tensors.reserve(8)).toBe(true);
  });

  it("refuses the tensors of another group", () => {
    const { admit } = scene();
    const other = scene();
    expect(() => admit(other.kept(worker()))).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});
