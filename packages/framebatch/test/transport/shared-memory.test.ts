import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WorkerClient } from "../../src/client/workers/worker-client.js";
import type { Tensor } from "../../src/core/tensor/tensor.js";
import { hostTimer } from "../../src/time/host-timer.js";
import type { RunReply } from "../../src/transport/protocol.js";
import { TensorArea } from "../../src/transport/tensor-area.js";
import { channelSite, UNHEARD } from "../support/channel-worker.js";
import { errorData, LOAD_REQUEST, ready, scripted } from "../support/scripted-plan.js";

const RUN = { timeoutMs: 10_000, isDivided: false };
const INFO = { type: "float32", dims: [null, 2], symbols: [null, null], batchAxis: 0 } as const;

describe("a tensor area", () => {
  const NAMES = ["a", "b", "c"];
  const area = (bytes: number) => new TensorArea(new SharedArrayBuffer(bytes), 0, bytes);

  it("returns the written tensors, of every type and any alignment", () => {
    const tensors = {
      c: { type: "uint8", dims: [3], data: Uint8Array.of(1, 2, 3) },
      a: { type: "int64", dims: [1, 2], data: BigInt64Array.of(-5n, 7n) },
      b: { type: "float32", dims: [], data: Float32Array.of(0.5) },
    } satisfies Record<string, Tensor>;
    const memory = area(1024);
    expect(memory.write(NAMES, tensors)).toBe(true);
    expect(memory.read(NAMES)).toEqual(tensors);
  });

  it("copies: neither the written nor the read data shares the memory", () => {
    const memory = area(1024);
    const data = Float32Array.of(1, 2);
    memory.write(NAMES, { a: { type: "float32", dims: [2], data } });
    data.fill(9);
    const first = memory.read(NAMES);
    memory.write(NAMES, { a: { type: "float32", dims: [2], data } });
    expect(first["a"]?.data).toEqual(Float32Array.of(1, 2));
  });

  it("writes a part of a buffer", () => {
    const memory = area(1024);
    memory.write(NAMES, { a: { type: "float32", dims: [1], data: Float32Array.of(1, 2, 3).subarray(1, 2) } });
    expect(memory.read(NAMES)["a"]?.data).toEqual(Float32Array.of(2));
  });

  it.each<[string, Record<string, Tensor>]>([
    ["more than its capacity", { a: { type: "float32", dims: [256], data: new Float32Array(256) } }],
    ["strings", { a: { type: "string", dims: [1], data: ["x"] } }],
    ["a name that the model does not have", { d: { type: "float32", dims: [1], data: new Float32Array(1) } }],
  ])("rejects %s", (_what, tensors) => {
    expect(area(1024).write(NAMES, tensors)).toBe(false);
  });
});

describe("runs through shared memory", () => {
  beforeEach(() => void vi.stubGlobal("crossOriginIsolated", true));
  afterEach(() => void vi.unstubAllGlobals());

  /** A worker with the given results, and a log of the runs that reach it as messages. */
  async function open(run: (items: readonly number[]) => RunReply | Promise<RunReply>) {
    const messages: string[] = [];
    const signature = { inputs: [{ ...INFO, name: "x" }], outputs: [{ ...INFO, name: "y" }], fixedBatch: null };
    const site = channelSite(() =>
      scripted({
        load: async () => ready("wasm", { signature }),
        run: async ({ feeds }) =>
          run(feeds === "stacked" ? [] : Array.from<unknown>(feeds["x"]?.data ?? []).map(Number)),
      }),
    );
    const start = site.start.bind(site);
    const spied = {
      ...site,
      start() {
        const worker = start();
        const postMessage: typeof worker.postMessage = (message, transfer) => {
          messages.push(/"(run|stack)"/.exec(JSON.stringify(message))?.[1] ?? "other");
          worker.postMessage(message, transfer);
        };
        return { ...worker, postMessage };
      },
    };
    const deaths: string[] = [];
    const client = new WorkerClient(spied, 60_000, hostTimer, {
      ...UNHEARD,
      onDeath: ({ code }) => deaths.push(code),
    });
    await client.ready();
    const location = { blob: new Blob(["1"]), sha256: null };
    await client.load({ ...LOAD_REQUEST, location, externalData: [], variants: [], providers: ["wasm"] });
    const ask = (...items: number[]) =>
      client.run({ feeds: { x: { type: "float32", dims: [items.length], data: Float32Array.from(items) } } }, RUN);
    return { client, ask, deaths, byMessage: () => messages.filter((message) => message !== "other") };
  }

  const doubled = (items: readonly number[]): RunReply => ({
    ok: true,
    outputs: { y: { type: "float32", dims: [items.length], data: Float32Array.from(items, (item) => 2 * item) } },
    inferenceMs: 3,
  });

  const answered = (items: readonly number[]) => ({ ok: true, reply: doubled(items) });

  it("send no message, and return each caller its own reply", async () => {
    const { client, ask, byMessage } = await open(doubled);
    const replies = await Promise.all([ask(1, 2), ask(3)]);
    expect(replies).toEqual([answered([1, 2]), answered([3])]);
    for (let round = 0; round < 20; round++) expect(await ask(round)).toEqual(answered([round]));
    expect(byMessage()).toEqual([]);
    client.terminate(null);
  });

  it("fall back to messages if no slot is free or the batch is too large, in the order of the calls", async () => {
    const order: number[] = [];
    const { client, ask, byMessage } = await open((items) => {
      order.push(items.length);
      return doubled(items.slice(0, 1));
    });
    await Promise.all([ask(1), ask(1, 1), ask(1, 1, 1), ask(...Array.from({ length: 2 ** 16 }, () => 1)), ask(7)]);
    expect(order).toEqual([1, 2, 3, 2 ** 16, 1]);
    expect(byMessage()).toEqual(["run", "run", "run"]);
    expect(await ask(8)).toEqual(answered([8]));
    expect(byMessage()).toHaveLength(3);
    client.terminate(null);
  });

  it("are answered before a later call by message is sent", async () => {
    let answer = (): void => undefined;
    const { client, ask, byMessage } = await open(
      (items) => new Promise((resolve) => (answer = () => resolve(doubled(items)))),
    );
    const run = ask(1);
    const stacked = client.stack({ rows: [], paddedSize: 1, extents: [] }, []);
    await new Promise((resolve) => setImmediate(resolve));
    expect(byMessage()).toEqual([]);
    answer();
    expect(await run).toEqual(answered([1]));
    await stacked;
    expect(byMessage()).toEqual(["stack"]);
    client.terminate(null);
  });

  it("are answered by message with an error or with outputs that do not fit, before the next run ends", async () => {
    const large: RunReply = {
      ok: true,
      outputs: { y: { type: "float32", dims: [2 ** 16], data: new Float32Array(2 ** 16).fill(4) } },
      inferenceMs: 1,
    };
    const failed: RunReply = { ok: false, error: errorData("INFERENCE_FAILED"), fatal: false };
    const replies: Record<number, RunReply> = { 1: large, 2: failed };
    const never = new Promise<RunReply>(() => undefined);
    const { client, ask, byMessage } = await open(([item]) => replies[item ?? 0] ?? never);
    const last = ask(3);
    expect(await ask(1)).toEqual({ ok: true, reply: large });
    expect(await ask(2)).toMatchObject({ ok: false, error: { code: "INFERENCE_FAILED" } });
    expect(await ask(1)).toEqual({ ok: true, reply: large });
    expect(byMessage()).toEqual([]);
    client.terminate(new Error("ended"));
    await expect(last).rejects.toThrow("ended");
  });

  it("end with the worker", async () => {
    const { client, ask, deaths } = await open(() => new Promise(() => undefined));
    const pending = [ask(1), ask(2), ask(3)];
    client.terminate(new Error("ended"));
    for (const run of pending) await expect(run).rejects.toThrow("ended");
    expect(deaths).toEqual([]);
  });
});
