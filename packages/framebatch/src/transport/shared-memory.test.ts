import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WorkerClient } from "../client/workers/worker-client.js";
import type { WorkerListener } from "../client/workers/worker-life.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { RunReply } from "./protocol.js";
import { ArrayArea } from "./array-area.js";
import { answerOfArrays, arraysOfAnswer, arraysOfRun, runOfArrays } from "./run-arrays.js";
import { SharedSlots } from "./shared-memory.js";
import { channelSite, UNHEARD } from "../../test/support/channel-worker.js";
import { errorData, LOAD_REQUEST, numbersOfRun, ready, runOf, scripted } from "../../test/support/scripted-plan.js";

const RUN = { timeoutMs: 10_000, isDivided: false };
const INFO = { type: "float32", dims: [null, 2], symbols: [null, null], batchAxis: 0 } as const;

describe("an area for arrays", () => {
  const area = (bytes: number) => new ArrayArea(new SharedArrayBuffer(bytes), 0, bytes);

  it("returns the written arrays, of every class and any alignment", () => {
    const arrays = [Uint8Array.of(1, 2, 3), BigInt64Array.of(-5n, 7n), Float32Array.of(0.5), Float64Array.of(2 ** 40)];
    const memory = area(1024);
    expect(memory.write(arrays)).toBe(true);
    expect(memory.read()).toEqual(arrays);
  });

  it("copies: neither the written nor the read data shares the memory", () => {
    const memory = area(1024);
    const data = Float32Array.of(1, 2);
    memory.write([data]);
    data.fill(9);
    const [first] = memory.read();
    memory.write([data]);
    expect(first).toEqual(Float32Array.of(1, 2));
  });

  it("writes a part of a buffer", () => {
    const memory = area(1024);
    memory.write([Float32Array.of(1, 2, 3).subarray(1, 2)]);
    expect(memory.read()).toEqual([Float32Array.of(2)]);
  });

  it("rejects more than its capacity", () => {
    expect(area(1024).write([new Float32Array(256)])).toBe(false);
    expect(area(64).write(Array.from({ length: 6 }, () => new Float32Array(0)))).toBe(false);
  });
});

describe("runs and answers as arrays", () => {
  it("come back as they were", () => {
    const request = { ...runOf([1, 2, 3, 4], 2), paddedSize: 4 };
    const message = { run: 7, request };
    expect(runOfArrays(arraysOfRun(message) ?? [])).toEqual(message);
    const outputs = {
      a: { type: "int64", dims: [2, 1], data: BigInt64Array.of(1n, 2n) },
      b: { type: "bool", dims: [2], data: Uint8Array.of(0, 1) },
    } as const;
    const answer = { ran: 7, reply: { ok: true, outputs, inferenceMs: 0.5 } } as const;
    expect(answerOfArrays({ a: "int64", b: "bool" }, arraysOfAnswer(answer) ?? [])).toEqual(answer);
  });

  it("are none if a row has an array of its own, holds texts, or is none of tensors, and for an error", () => {
    const { rows, ...rest } = runOf([1]);
    const alone = { ...rest, rows: { ...rows, columns: [[Float32Array.of(1)]] } };
    expect(arraysOfRun({ run: 1, request: alone })).toBeNull();
    expect(arraysOfRun({ run: 1, request: { items: [], isAlone: true, isExclusive: false } })).toBeNull();
    const texts = { type: "string", dims: [1], data: ["x"] } as const;
    for (const outputs of [{ texts }, { texts: [texts] }])
      expect(arraysOfAnswer({ ran: 1, reply: { ok: true, outputs, inferenceMs: 1 } })).toBeNull();
    const failed = { ok: false, error: errorData("INFERENCE_FAILED"), fatal: false } as const;
    expect(arraysOfAnswer({ ran: 1, reply: failed })).toBeNull();
  });
});

describe("runs through shared memory", () => {
  beforeEach(() => void vi.stubGlobal("crossOriginIsolated", true));
  afterEach(() => void vi.unstubAllGlobals());

  /** A worker with the given results, and a log of the runs that reach it as messages. */
  async function open(run: (items: readonly number[]) => RunReply | Promise<RunReply>, outputNames = ["y"]) {
    const messages: string[] = [];
    const signature = {
      inputs: [{ ...INFO, name: "x" }],
      outputs: outputNames.map((name) => ({ ...INFO, name })),
      fixedBatch: null,
    };
    const site = channelSite(() =>
      scripted({
        load: async () => ready("wasm", { signature }),
        run: async (request) => run(numbersOfRun(request)),
      }),
    );
    const start = site.start.bind(site);
    const spied = {
      ...site,
      start() {
        const worker = start();
        const postMessage: typeof worker.postMessage = (message, transfer) => {
          messages.push(typeof message === "object" && message !== null && "run" in message ? "run" : "other");
          worker.postMessage(message, transfer);
        };
        return { ...worker, postMessage };
      },
    };
    const deaths: string[] = [];
    const listener: WorkerListener = { ...UNHEARD, onDeath: ({ code }) => deaths.push(code) };
    const client = new WorkerClient(spied, 60_000, hostTimer, listener, async () => ({ SharedSlots }));
    await client.ready();
    const location = { blob: new Blob(["1"]), sha256: null };
    await client.load({ ...LOAD_REQUEST, location, externalData: [], variants: [], providers: ["wasm"] });
    const ask = (...items: number[]) => client.run(runOf(items), [], RUN);
    return { client, ask, deaths, byMessage: () => messages.filter((message) => message !== "other") };
  }

  const doubled = (items: readonly number[]): RunReply => ({
    ok: true,
    outputs: { y: { type: "float32", dims: [items.length], data: Float32Array.from(items, (item) => 2 * item) } },
    inferenceMs: 3,
  });

  it("give each output its own elements if the model declares another order than a record has", async () => {
    const names = ["495", "y", "12"];
    const output = (value: number) => ({ type: "float32", dims: [1], data: Float32Array.of(value) }) as const;
    const outputs = Object.fromEntries(names.map((name, index) => [name, output(index)]));
    const reply = { ok: true, outputs, inferenceMs: 3 } as const;
    const { client, ask, byMessage } = await open(() => reply, names);
    expect(await ask(1)).toEqual({ ok: true, reply });
    expect(byMessage()).toEqual([]);
    client.terminate(null);
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

  it("begin in the order of the calls if some go by message and others not", async () => {
    const order: number[] = [];
    const { client, ask, byMessage } = await open((items) => {
      order.push(items[0]!);
      return doubled(items);
    });
    const { rows, ...rest } = runOf([2]);
    const large = () => client.run({ ...rest, rows: { ...rows, columns: [[Float32Array.of(2)]] } }, [], RUN);
    await Promise.all([ask(1), large(), ask(3), large(), ask(5), ask(6)]);
    expect(order).toEqual([1, 2, 3, 2, 5, 6]);
    expect(byMessage()).toHaveLength(4);
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

  it("have one wait for each slot, even if the next run is sent before the page has noticed the end of the last one", () => {
    const waits = vi.spyOn(Atomics, "waitAsync");
    const slots = new SharedSlots([{ ...INFO, name: "y" }], () => undefined);
    const words = new Int32Array(slots.memory);
    for (let run = 1; run <= 50; run++) {
      expect(slots.send({ run, request: runOf([run]) })).toBe(true);
      // The worker has answered by message, and has left the first slot to the page.
      Atomics.store(words, 1, 0);
      Atomics.notify(words, 1);
    }
    expect(waits).toHaveBeenCalledTimes(1);
    slots.end();
    waits.mockRestore();
  });

  it("are not blamed for the end of the worker if they were answered, although the page has not noticed yet", async () => {
    const lost: RunReply = { ok: false, error: errorData("WORKER_CRASHED"), fatal: true };
    const { client, deaths } = await open(([item]) => (item === 1 ? doubled([1]) : lost));
    // The page waits for the slots, from word 1 on, and is told of none.
    const { waitAsync } = Atomics;
    const untold = { async: true, value: new Promise<"ok">(() => undefined) } as const;
    const waits = vi.spyOn(Atomics, "waitAsync");
    waits.mockImplementation((words, index, value) =>
      index === 0 && words instanceof Int32Array ? waitAsync(words, index, value) : untold,
    );
    const [first, second] = [{ ...RUN }, { ...RUN }];
    const runs = [client.run(runOf([1]), [], first), client.run(runOf([2]), [], second)];
    await Promise.allSettled(runs);
    waits.mockRestore();
    expect(deaths).toEqual(["WORKER_CRASHED"]);
    expect(client.interrupted).toBe(second);
  });

  it("end with the worker", async () => {
    const { client, ask, deaths } = await open(() => new Promise(() => undefined));
    const pending = [ask(1), ask(2), ask(3)];
    client.terminate(new Error("ended"));
    for (const run of pending) await expect(run).rejects.toThrow("ended");
    expect(deaths).toEqual([]);
  });
});
