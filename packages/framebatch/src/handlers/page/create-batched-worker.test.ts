import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createBatchedWorkerAt } from "./create-batched-worker.js";
import { type BatchedWorker, type BatchedWorkerOptions } from "./batched-worker-options.js";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
import { toPrometheusText } from "@framebatch/batcher/stats/prometheus-text.js";
import type { ServedEngine } from "../worker/handlers.js";
import { type ChannelWorker, handledSite } from "../../../test/support/channel-worker.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { messages } from "../../../test/support/messages.js";

const open: BatchedWorker<never, unknown>[] = [];

beforeEach(() => stubBrowser());

afterEach(async () => {
  for (const worker of open.splice(0)) await worker.dispose();
  vi.unstubAllGlobals();
});

const start = () => new Worker("unused");

type Functions<Input, Output> = ServedEngine<Input, Output> | ((worker: ChannelWorker) => ServedEngine<Input, Output>);

async function workerWith<Input, Output>(
  functions: Functions<Input, Output>,
  options: BatchedWorkerOptions<Input> = {},
): Promise<BatchedWorker<Input, Output>> {
  const site = handledSite(typeof functions === "function" ? functions : () => functions);
  const worker = await createBatchedWorkerAt<Input, Output>(start, options, site);
  open.push(worker);
  return worker;
}

/** An engine that doubles numbers, and a log of the batches that it gets. */
function doubling(batches: (readonly number[])[] = []): ServedEngine<number, number> {
  return {
    run(items) {
      batches.push(items);
      return items.map((item) => 2 * item);
    },
  };
}

/** Batches of one size: what the worker has learned about run times decides nothing. */
const TOGETHER = { batching: { release: "window" }, maxQueueDelayMs: 3_600_000 } as const;

describe("an engine in a worker", () => {
  it("runs items in batches, and gives each caller its own result", async () => {
    const batches: (readonly number[])[] = [];
    const worker = await workerWith(doubling(batches), { ...TOGETHER, maxBatchSize: 3 });
    expect(await worker.predictMany([1, 2, 3, 4, 5, 6])).toEqual([2, 4, 6, 8, 10, 12]);
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(worker.stats()).toMatchObject({ state: "ready", instances: 1, batchCheck: { outcome: "skipped" } });
  });

  it("has the methods of a model, and no tensors", async () => {
    const worker = await workerWith(doubling());
    const { outputs, batch, origin } = await worker.predictDetailed(4);
    expect([outputs, batch?.size, origin]).toEqual([8, 1, "device"]);
    const streamed: number[] = [];
    for await (const result of worker.predictStream([1, 2, 3])) streamed.push(result);
    expect(streamed).toEqual([2, 4, 6]);
    expect(Object.keys(worker)).toEqual([]);
    expect("inputs" in worker || "executionProvider" in worker).toBe(false);
    await worker.dispose();
    await expect(worker.predict(1)).rejects.toMatchObject({ code: "DISPOSED" });
  });

  it("loads before it runs, and reports how much has arrived", async () => {
    const log: unknown[] = [];
    const engine: ServedEngine<number, number> = {
      async load({ report }) {
        report(5, 10);
        await Promise.resolve();
        log.push("loaded");
      },
      run: (items) => items.map((item) => (log.push(`ran ${item}`), item)),
    };
    const onProgress = ({
      phase,
      loadedBytes,
      totalBytes,
    }: {
      phase: string;
      loadedBytes: number;
      totalBytes: unknown;
    }) => log.push([phase, loadedBytes, totalBytes]);
    await workerWith(engine, { samples: [7], onProgress });
    expect(log.filter((entry) => typeof entry === "string")).toEqual(["loaded", "ran 7"]);
    expect(log.filter(Array.isArray)).toEqual([
      ["download", 0, null],
      ["download", 5, 10],
      ["warmup", 0, 0],
      ["ready", 0, 0],
    ]);
  });

  it("rejects with what load throws", async () => {
    const broken: ServedEngine<number, number> = {
      load: () => Promise.reject(new TypeError("no such file")),
      run: () => [],
    };
    await expect(workerWith(broken)).rejects.toMatchObject({
      code: "HANDLER_FAILED",
      message: "load: no such file",
      details: { stage: "load" },
      cause: { name: "TypeError" },
    });
  });

  it("calls one function of the engine at a time", async () => {
    let running = 0;
    let most = 0;
    const engine: ServedEngine<number, number> = {
      async run(items) {
        most = Math.max(most, ++running);
        await messages();
        running -= 1;
        return [...items];
      },
    };
    const worker = await workerWith(engine, { maxBatchSize: 1 });
    expect(await worker.predictMany([1, 2, 3])).toEqual([1, 2, 3]);
    expect(most).toBe(1);
  });

  it("pads batches to the allowed sizes, and drops the surplus results", async () => {
    const batches: (readonly number[])[] = [];
    const worker = await workerWith(doubling(batches), { ...TOGETHER, allowedBatchSizes: [4] });
    const answers = [1, 2, 3].map((item) => worker.predict(item));
    worker.flush();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3, 3]]);
  });

  it("rejects only the item whose result is an Error, or cannot be sent", async () => {
    const engine: ServedEngine<string, unknown> = {
      run: (items) =>
        items.map((item) => {
          if (item === "bad") return new RangeError("unlucky");
          return item === "function" ? () => 1 : item;
        }),
    };
    const worker = await workerWith(engine, { ...TOGETHER, maxBatchSize: 4 });
    const ends = await Promise.allSettled(["a", "bad", "function", "b"].map((item) => worker.predict(item)));
    expect(ends).toMatchObject([
      { value: "a" },
      { reason: { code: "HANDLER_FAILED", details: { stage: "run" }, cause: { message: "unlucky" } } },
      { reason: { code: "HANDLER_FAILED", details: { stage: "run" } } },
      { value: "b" },
    ]);
    expect(worker.stats().batches.count).toBe(1);
  });

  it("says that a result which exists once cannot be shared, and gives it to a lone caller of dedupe", async () => {
    const engine: ServedEngine<string, ReadableStream> = { run: (items) => items.map(() => new ReadableStream()) };
    const failed = {
      code: "HANDLER_FAILED",
      details: { stage: "run" },
      cause: expect.any(Error),
      message: expect.stringMatching(
        /^run: expected a result that can be copied, because dedupe or resultCacheSize is set, got a ReadableStream; /,
      ),
    };
    const cached = await workerWith(engine, { resultCacheSize: 2 });
    await expect(cached.predict("a")).rejects.toMatchObject(failed);
    const deduplicating = await workerWith(engine, { ...TOGETHER, maxBatchSize: 2, dedupe: true });
    const ends = Promise.allSettled(["a", "a"].map((item) => deduplicating.predict(item)));
    deduplicating.flush();
    expect(await ends).toMatchObject([{ value: expect.any(ReadableStream) }, { reason: failed }]);
  });

  it("halves a batch for which run throws, until the item alone is to blame", async () => {
    const engine: ServedEngine<number, number> = {
      run(items) {
        if (items.includes(13)) throw new RangeError("unlucky");
        return [...items];
      },
    };
    const worker = await workerWith(engine, { ...TOGETHER, maxBatchSize: 4 });
    const ends = await Promise.allSettled([1, 13, 2, 3].map((item) => worker.predict(item)));
    expect(ends).toMatchObject([
      { value: 1 },
      { reason: { code: "HANDLER_FAILED", message: "run: unlucky", cause: { name: "RangeError" } } },
      { value: 2 },
      { value: 3 },
    ]);
  });

  it.each<[string, BatchedWorkerOptions<number>, () => Error]>([
    ["that turns it off", { bisect: false }, () => new Error("no")],
    ["whose error says nothing about an item", {}, () => Object.assign(new Error("busy"), { status: 503 })],
    ["whose network fails", {}, () => new TypeError("Failed to fetch")],
  ])("rejects a whole batch %s", async (_name, options, thrown) => {
    let runs = 0;
    const engine: ServedEngine<number, number> = {
      run() {
        runs += 1;
        throw thrown();
      },
    };
    const worker = await workerWith(engine, { ...TOGETHER, maxBatchSize: 3, ...options });
    const ends = await Promise.allSettled([1, 2, 3].map((item) => worker.predict(item)));
    expect(ends.map((end) => end.status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(runs).toBe(1);
  });

  it.each<[string, unknown]>([
    ["too few results", []],
    ["too many results", [1, 2]],
    ["no list", { dims: [1, 3] }],
    ["nothing", undefined],
  ])("says what is wrong with %s", async (_name, results) => {
    const site = handledSite(() => Object.assign(doubling(), { run: () => results }));
    const worker = await createBatchedWorkerAt(start, {}, site);
    await expect(worker.predict(1)).rejects.toMatchObject({
      code: "INFERENCE_FAILED",
      message: expect.stringMatching(/^run: expected a list of 1 results, got .*; return one result for each item/),
    });
    await worker.dispose();
  });

  it("repeats the items of a worker that died, and rejects the one that kills every worker", async () => {
    const worker = await workerWith<number, number>((channel) => ({
      run(items) {
        if (!items.includes(666)) return items.map((item) => 2 * item);
        channel.say({ notice: "lost", error: LOST });
        return new Promise(() => undefined);
      },
    }));
    const ends = await Promise.allSettled([1, 2, 666, 3].map((item) => worker.predict(item)));
    expect(ends).toMatchObject([{ value: 2 }, { value: 4 }, { reason: { code: "WORKER_CRASHED" } }, { value: 6 }]);
  });

  it("loads the engine again in the worker that replaces a dead one, and says so", async () => {
    let loads = 0;
    const states: string[] = [];
    const worker = await workerWith<number, number>((channel) => ({
      load: () => void (loads += 1),
      run(items) {
        if (loads === 1) channel.say({ notice: "lost", error: LOST });
        return loads === 1 ? new Promise(() => undefined) : items.map((item) => 2 * item);
      },
    }));
    worker.addEventListener("statechange", ({ detail }) => states.push(detail.state));
    expect(await worker.predict(4)).toBe(8);
    expect([loads, states]).toEqual([2, ["recovering", "ready"]]);
  });

  it("ends the engine before the worker, and loads it again for restart", async () => {
    const log: string[] = [];
    const worker = await workerWith<number, number>({
      load: () => log.push("load"),
      run: (items) => [...items],
      dispose: () => log.push("dispose"),
    });
    await worker.restart();
    expect(await worker.predict(1)).toBe(1);
    expect(log.toSorted()).toEqual(["dispose", "load", "load"]);
  });

  it("tells run that no item of its batch needs a result any more, and skips batches that nobody waits for", async () => {
    const runs: number[][] = [];
    let signal: AbortSignal | null = null;
    const worker = await workerWith<number, number>(
      {
        run(items, context) {
          runs.push([...items]);
          ({ signal } = context);
          return new Promise((_resolve, reject) => {
            context.signal.addEventListener("abort", () => void messages().then(() => reject(context.signal.reason)));
          });
        },
      },
      { batching: { release: "idle" }, maxBatchSize: 2 },
    );
    const controller = new AbortController();
    const answers = [1, 2, 3, 4].map((item) => worker.predict(item, { signal: controller.signal }));
    await messages();
    expect(signal).toMatchObject({ aborted: false });
    controller.abort("enough");
    for (const end of await Promise.allSettled(answers)) expect(end).toMatchObject({ reason: "enough" });
    for (let wait = 0; wait < 3; wait++) await messages();
    expect(signal).toMatchObject({ aborted: true });
    expect(runs).toHaveLength(1);
  });

  it("shares results of equal items", async () => {
    const batches: (readonly { text: string }[])[] = [];
    const engine: ServedEngine<{ text: string }, { text: string }> = {
      run(items) {
        batches.push(items);
        return [...items];
      },
    };
    const worker = await workerWith(engine, { ...TOGETHER, maxBatchSize: 2, dedupe: true, resultCacheSize: 5 });
    const answers = ["a", "a", "b"].map((text) => worker.predict({ text }));
    const [first, second] = await Promise.all(answers);
    expect([first, second]).toEqual([{ text: "a" }, { text: "a" }]);
    expect(first).not.toBe(second);
    expect(await worker.predict({ text: "b" })).toEqual({ text: "b" });
    expect(batches.flat()).toHaveLength(2);
  });

  it("is a stage of a pipeline, and its statistics are metrics", async () => {
    const worker = await workerWith(doubling());
    const pipeline = createPipeline<number>()
      .split((count) => Array.from({ length: count }, (_, index) => index))
      .stage(worker)
      .collect((parts) => parts.join());
    expect(await pipeline.run(4)).toBe("0,2,4,6");
    expect(toPrometheusText(worker.stats())).toMatch(/outcome="completed"\} 4/);
    await pipeline.dispose();
  });

  it("runs in several workers", async () => {
    const channels: ChannelWorker[] = [];
    const worker = await workerWith<number, number>(
      (channel) => {
        channels.push(channel);
        return doubling();
      },
      { instances: 2 },
    );
    expect(await worker.predictMany([1, 2, 3])).toEqual([2, 4, 6]);
    expect([channels.length, worker.stats().instances]).toEqual([2, 2]);
  });

  it("keeps the guard of ONNX Runtime's memory away from other engines", async () => {
    const worker = await workerWith<number, number>({
      run(items) {
        const memory = new WebAssembly.Memory({ initial: 1 });
        new Uint8Array(memory.buffer).set([items[0]!], 0);
        return [...items];
      },
    });
    expect(await worker.predict(3)).toBe(3);
  });
});

const LOST = {
  name: "FramebatchError",
  message: "the test ended it",
  stack: undefined,
  code: "WORKER_CRASHED",
  details: {},
  cause: undefined,
} as const;

describe("the check of an engine's batches", () => {
  /** An engine whose results depend on the size of the batch. */
  const leaking = (share: number): ServedEngine<number, number[]> => ({
    run: (items) => items.map((item) => [item, item * (1 + share * (items.length - 1))]),
  });

  it("is off by default", async () => {
    const worker = await workerWith(leaking(1), { samples: [1, 2] });
    expect(worker.stats().batchCheck.outcome).toBe("skipped");
  });

  it.each([
    [0.0001, true, "passed"],
    [0.01, true, "failed"],
    [0.01, { tolerance: 0.1 }, "passed"],
  ] as const)("with results %s apart and verify: %o, has %s", async (share, verify, outcome) => {
    const worker = await workerWith(leaking(share), { samples: [1, 2, 3], verify });
    expect(worker.stats().batchCheck.outcome).toBe(outcome);
  });

  it("makes the engine run items one by one, and says why", async () => {
    const worker = await workerWith(leaking(1), { samples: [1, 2], verify: true });
    const told = new Promise<string>((resolve) => {
      worker.addEventListener("error", ({ detail }) => resolve(`${detail.code}: ${detail.message}`));
    });
    expect(await told).toBe(
      "BATCH_UNSAFE: the model runs item by item: another result for sample 0 in a batch than alone",
    );
    expect(await worker.predictMany([1, 2, 3])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(worker.stats().batchSize.max).toBe(1);
  });

  it("asks agrees of the engine", async () => {
    const engine = { ...leaking(1), agrees: ([one]: number[], [other]: number[]) => one === other };
    const worker = await workerWith(engine, { samples: [1, 2], verify: true });
    expect(worker.stats().batchCheck.outcome).toBe("passed");
  });

  it("is not repeated in a later worker", async () => {
    const batches: (readonly number[])[] = [];
    const worker = await workerWith(doubling(batches), { samples: [1, 2], verify: true });
    const before = batches.length;
    await worker.restart();
    expect([before, batches.length - before]).toEqual([4, 1]);
    expect(worker.stats().batchCheck.outcome).toBe("passed");
  });

  it("fails for an engine that takes no batch", async () => {
    const single: ServedEngine<number, number> = {
      run(items) {
        if (items.length > 1) throw new Error("one at a time, please");
        return [...items];
      },
    };
    const worker = await workerWith(single, { samples: [1, 2], verify: true });
    expect(worker.stats().batchCheck.reason).toContain("one at a time, please");
    expect(await worker.predictMany([1, 2])).toEqual([1, 2]);
  });
});

describe("the options of an engine", () => {
  it.each<[object, string]>([
    [{ verify: true }, "samples"],
    [{ verify: { tolerance: 1 }, samples: [1] }, "samples"],
    [{ verify: { tolerance: -1 }, samples: [1, 2] }, "verify.tolerance"],
    [{ verify: 5, samples: [1, 2] }, "verify"],
    [{ samples: "text" }, "samples"],
    [{ samples: [() => 1] }, "samples"],
    [{ contentKey: "id" }, "contentKey"],
    [{ bisect: 1 }, "bisect"],
    [{ instances: 0 }, "instances"],
    [{ maxBatchSize: 0 }, "maxBatchSize"],
    [{ batchsize: 5 }, "batchsize"],
    [{ warmup: true }, "warmup"],
  ])("rejects %o", async (options, option) => {
    const creating = createBatchedWorkerAt(
      start,
      options,
      handledSite(() => doubling()),
    );
    await expect(creating).rejects.toMatchObject({ code: "INVALID_OPTION", details: { option } });
  });

  it.each([undefined, "./worker.js", {}])("rejects %o in place of a function that starts a worker", async (worker) => {
    const creating: unknown = Reflect.apply(createBatchedWorkerAt, null, [worker, {}, handledSite(() => doubling())]);
    await expect(creating).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("worker: expected a function that starts a worker"),
    });
  });

  it("rejects a worker that serves handlers", async () => {
    const creating = createBatchedWorkerAt(
      start,
      {},
      handledSite(() => ({ preprocess: () => Float32Array.of(1) })),
    );
    await expect(creating).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("expected an engine, as createBatchedWorker needs"),
    });
  });
});
