import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHandledModelAt } from "./create-handled-model.js";
import type { BatchedModel } from "../../client/options/model.js";
import type { HandlerModelOptions } from "../../client/options/options.js";
import { keepSource, type ModelSource } from "../../client/options/model-source.js";
import type { Handlers } from "../worker/handlers.js";
import { ItemBatches } from "../worker/item-batches.js";
import { type ChannelWorker, handledSite } from "../../../test/support/channel-worker.js";
import { generateModel } from "@framebatch/models/generate";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { messages } from "../../../test/support/messages.js";

/** Turns "1 2 3" into a row of numbers, and the doubled row into "2 4 6". */
const WORDS: Handlers<string, string> = {
  preprocess: (text) => numbersIn(text),
  postprocess: ({ y }) => Array.from(y!.data, String).join(" "),
};

function numbersIn(text: string): Float32Array {
  return Float32Array.from(text.split(" "), Number);
}

const open: BatchedModel<never, unknown>[] = [];

beforeEach(() => stubBrowser());

afterEach(async () => {
  for (const model of open.splice(0)) await model.dispose();
  vi.unstubAllGlobals();
});

async function modelWith<Input, Output>(
  handlers: Handlers<Input, Output> | ((worker: ChannelWorker) => Handlers<Input, Output>),
  options: Partial<HandlerModelOptions<Input>> = {},
  source: ModelSource = doublingModel(),
): Promise<BatchedModel<Input, Output>> {
  const site = handledSite(typeof handlers === "function" ? handlers : () => handlers);
  const worker = () => new Worker("unused");
  // The check of batches always ends before the model is ready, however slow the machine is.
  const fixed = { cache: false, executionProviders: ["wasm"], verify: { budgetMs: 3_600_000 } } as const;
  const all = { ...fixed, worker, ...options };
  const model = await createHandledModelAt<Input, Output>(site, keepSource(source), all, site);
  open.push(model);
  return model;
}

describe("a model with handlers", () => {
  it("returns what postprocess makes of each item, in batches", async () => {
    const model = await modelWith(WORDS, {
      samples: ["1 2", "3 4"],
      allowedBatchSizes: [4],
      // The size of a batch then does not depend on measured times.
      batching: { release: "window" },
    });
    const texts = Array.from({ length: 20 }, (_, item) => `${item} 1`);
    expect(await model.predictMany(texts)).toEqual(texts.map((_, item) => `${2 * item} 2`));
    expect(model.stats().batchCheck.outcome).toBe("passed");
    expect(model.stats().batchSize.mean).toBe(4);
  });

  it("awaits async handlers, and gives them the signature", async () => {
    const model = await modelWith<string, string>({
      async preprocess(text, { signature }) {
        await Promise.resolve();
        return { [signature.inputs[0]!.name]: numbersIn(text) };
      },
      async postprocess(outputs, text, { signature }) {
        await Promise.resolve();
        return `${text}: ${Array.from(outputs[signature.outputs[0]!.name]!.data, String).join(" ")}`;
      },
    });
    expect(await model.predict("3 5")).toBe("3 5: 6 10");
  });

  it("takes tensors and returns outputs without handlers", async () => {
    const model = await modelWith<Float32Array, { y: { data: Float32Array } }>({});
    expect((await model.predict(Float32Array.of(4))).y.data).toEqual(Float32Array.of(8));
  });

  it("runs items of different dims apart, whatever shapeOf says", async () => {
    // Batches of one size: what the model has learned about run times decides nothing.
    const model = await modelWith(WORDS, { samples: ["1", "2", "3"], allowedBatchSizes: [5] });
    const texts = ["1", "1 2", "3", "1 2 3", "4 5"];
    expect(await model.predictMany(texts)).toEqual(["2", "2 4", "6", "2 4 6", "8 10"]);
    expect(model.stats().batchSize.max).toBe(texts.length);
  });

  it.each([
    ["that arrive early", { samples: [0, 1] }],
    ["that come with their batch", { instances: 2 }],
  ])(
    "copies tensors as soon as preprocess returns them, so that it may reuse its array, for items %s",
    async (_which, options) => {
      const reused = new Float32Array(1);
      const model = await modelWith<number, number>(
        { preprocess: (item) => reused.fill(item), postprocess: ({ y }) => Number(y!.data[0]) },
        { ...options, allowedBatchSizes: [8], batching: { release: "window" } },
      );
      const items = Array.from({ length: 24 }, (_, item) => item);
      expect(await model.predictMany(items)).toEqual(items.map((item) => 2 * item));
    },
  );

  it("rejects only the item whose handler fails, with its stage and cause", async () => {
    const model = await modelWith<string, string>({
      preprocess(text) {
        if (text === "bad input") throw new TypeError("not a number");
        return numbersIn(text);
      },
      postprocess({ y }, text) {
        if (text === "13") throw new RangeError("unlucky");
        return String(y!.data[0]);
      },
    });
    const texts = ["1", "bad input", "2", "13", "3", ""];
    const ends = await Promise.allSettled(texts.map((text) => model.predict(text)));
    expect(ends.map((end) => (end.status === "fulfilled" ? end.value : { ...end.reason }))).toEqual([
      "2",
      { code: "HANDLER_FAILED", details: { stage: "preprocess" }, name: "FramebatchError" },
      "4",
      { code: "HANDLER_FAILED", details: { stage: "postprocess" }, name: "FramebatchError" },
      "6",
      "0",
    ]);
    const causes = ends.map((end) => (end.status === "rejected" ? [end.reason.cause.name, end.reason.message] : null));
    expect(causes.filter(Boolean)).toEqual([
      ["TypeError", "preprocess: not a number"],
      ["RangeError", "postprocess: unlucky"],
    ]);
  });

  it("names what is wrong with the tensors of an item", async () => {
    const model = await modelWith<string, unknown>({ preprocess: (text) => ({ wrong: numbersIn(text) }) });
    await expect(model.predict("1")).rejects.toMatchObject({
      code: "HANDLER_FAILED",
      details: { stage: "preprocess" },
      cause: { code: "INVALID_INPUT" },
    });
  });

  // defect E2
  it.each<[string, () => unknown]>([
    ["a function", () => () => 1],
    ["a function in an object", () => ({ list: [{ run: () => 1 }] })],
    ["a symbol", () => [Symbol("result")]],
    ["a detached buffer", () => ({ list: [detached()] })],
    ["a view of a detached buffer", () => new Float32Array(detached())],
    ["a port that was transferred before", () => [transferredPort()]],
    [
      "an object with a getter that throws",
      () => ({
        get broken(): never {
          throw new RangeError("no value");
        },
      }),
    ],
    ["a proxy", () => new Proxy({}, {})],
    ["a map of functions", () => new Map([["run", () => 1]])],
    ["a weak map", () => new WeakMap()],
    ["a promise in an array", () => [Promise.resolve(1)]],
  ])("rejects only the item whose result is %s, after a single run", async (_what, resultOf) => {
    const model = await modelWith<string, unknown>(
      { preprocess: numbersIn, postprocess: ({ y }) => (y!.data[0] === 4 ? resultOf() : y!.data[0]) },
      { samples: ["0", "1"], batching: { release: "window" }, maxBatchSize: 3, maxQueueDelayMs: 3_600_000 },
    );
    const ends = await Promise.allSettled(["1", "2", "3"].map((text) => model.predict(text)));
    expect(ends).toMatchObject([
      { value: 2 },
      { reason: { code: "HANDLER_FAILED", details: { stage: "postprocess" } } },
      { value: 6 },
    ]);
    expect(model.stats().batches.count).toBe(1);
  });

  // defect E2
  it.each<[string, () => unknown]>([
    ["an object without a text", () => Object.create(null)],
    ["an error that is its own cause", () => ownCause()],
    ["an error whose message is no text", () => Object.assign(new Error("text"), { message: () => 1 })],
  ])("rejects only the item whose handler throws %s, after a single run", async (_what, thrown) => {
    const model = await modelWith<string, unknown>(
      {
        preprocess: numbersIn,
        postprocess({ y }) {
          if (y!.data[0] === 4) throw thrown();
          return y!.data[0];
        },
      },
      { samples: ["0", "1"], batching: { release: "window" }, maxBatchSize: 3, maxQueueDelayMs: 3_600_000 },
    );
    const ends = await Promise.allSettled(["1", "2", "3"].map((text) => model.predict(text)));
    expect(ends).toMatchObject([
      { value: 2 },
      { reason: { code: "HANDLER_FAILED", details: { stage: "postprocess" } } },
      { value: 6 },
    ]);
    expect(model.stats().batches.count).toBe(1);
  });

  it("keeps the arrays that postprocess returns and uses again", async () => {
    const reused = new Float32Array(1);
    const model = await modelWith<string, Float32Array>(
      {
        preprocess: numbersIn,
        postprocess({ y }) {
          reused.set([Number(y!.data[0])]);
          return reused;
        },
      },
      { samples: ["0", "1"], allowedBatchSizes: [4], batching: { release: "window" } },
    );
    expect(await model.predict("1")).toEqual(Float32Array.of(2));
    expect(await model.predictMany(["2", "3", "4", "5"])).toEqual([4, 6, 8, 10].map((value) => Float32Array.of(value)));
  });

  it("rejects an item that cannot be sent, at once", async () => {
    const model = await modelWith<unknown, unknown>({ preprocess: () => Float32Array.of(1) });
    await expect(model.predict({ run: () => 1 })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await model.predict({ fine: 1 })).toMatchObject({ y: { data: Float32Array.of(2) } });
  });

  it("skips the preprocess of an item that was aborted", async () => {
    const seen: string[] = [];
    const preprocess = (text: string) => {
      seen.push(text);
      return numbersIn(text);
    };
    const model = await modelWith<string, unknown>({ preprocess }, { samples: ["0", "1"] });
    await messages();
    seen.length = 0;
    const controller = new AbortController();
    const aborted = model.predict("7", { signal: controller.signal });
    controller.abort("changed my mind");
    await expect(aborted).rejects.toBe("changed my mind");
    await model.predict("8");
    expect(seen).toEqual(["8"]);
  });

  it("preprocesses an item while it waits for its batch", async () => {
    const seen: string[] = [];
    const model = await modelWith<string, unknown>(
      {
        preprocess(text) {
          seen.push(text);
          return numbersIn(text);
        },
        postprocess: ({ y }) => y!.data[0],
      },
      { samples: ["0", "1"], batching: { release: "window" }, maxQueueDelayMs: 3_600_000, maxBatchSize: 3 },
    );
    seen.length = 0;
    const waiting = [model.predict("1"), model.predict("2")];
    await messages();
    expect([seen, model.stats().batches.count]).toEqual([["1", "2"], 0]);
    expect(await Promise.all([...waiting, model.predict("3")])).toEqual([2, 4, 6]);
    expect(seen).toEqual(["1", "2", "3"]);
  });

  it("sends the items of one task in one message, without those that were aborted in it", async () => {
    const waits = { batching: { release: "window" }, maxQueueDelayMs: 3_600_000, maxBatchSize: 4 } as const;
    const model = await modelWith(WORDS, { samples: ["0", "1"], ...waits });
    const deliver = vi.spyOn(ItemBatches.prototype, "deliver");
    const aborting = new AbortController();
    const aborted = model.predict("0", { signal: aborting.signal });
    const answers = ["1", "2"].map((text) => model.predict(text));
    aborting.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    await messages();
    expect(deliver.mock.calls.map(([items]) => items.map(({ content }) => content?.value))).toEqual([["1", "2"]]);
    expect(await model.predictMany(["3", "4"])).toEqual(["6", "8"]);
    expect(await Promise.all(answers)).toEqual(["2", "4"]);
    deliver.mockRestore();
  });

  it("tells a handler that its item needs no result any more", async () => {
    let signal: AbortSignal | null = null;
    const model = await modelWith<string, unknown>({
      preprocess: (_text, context) =>
        new Promise((_resolve, reject) => {
          ({ signal } = context);
          context.signal.addEventListener("abort", () => reject(context.signal.reason));
        }),
    });
    const controller = new AbortController();
    const aborted = model.predict("1", { signal: controller.signal });
    await messages();
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    await messages();
    expect(signal).toMatchObject({ aborted: true });
  });

  it("repeats the items of a worker that died, and rejects the one that kills every worker", async () => {
    const model = await modelWith<string, unknown>((worker) => ({
      preprocess(text) {
        if (text === "666") worker.say({ notice: "lost", error: LOST });
        return numbersIn(text);
      },
      postprocess: ({ y }) => y!.data[0],
    }));
    const texts = ["1", "2", "666", "3"];
    const ends = await Promise.allSettled(texts.map((text) => model.predict(text)));
    expect(ends).toMatchObject([{ value: 2 }, { value: 4 }, { reason: { code: "WORKER_CRASHED" } }, { value: 6 }]);
  });

  it("loses a moved item with its worker, and no other one", async () => {
    let deaths = 0;
    const model = await modelWith<{ data: ArrayBuffer }, unknown>((worker) => ({
      preprocess({ data }) {
        const [first = 0] = new Float32Array(data);
        if (first === 666 && deaths++ === 0) worker.say({ notice: "lost", error: LOST });
        return new Float32Array(data);
      },
      postprocess: ({ y }) => y!.data[0],
    }));
    const item = (value: number) => ({ data: Float32Array.of(value).buffer });
    const [moved, copied] = [item(666), item(1)];
    const ends = Promise.allSettled([model.predict(moved, { transfer: true }), model.predict(copied)]);
    expect([moved.data.byteLength, copied.data.byteLength]).toEqual([0, 4]);
    expect(await ends).toMatchObject([{ reason: { code: "WORKER_CRASHED" } }, { value: 2 }]);
  });

  // defect C6
  it("leaves an item to its caller whose request is refused, though it may move", async () => {
    const model = await modelWith<unknown, unknown>({ preprocess: numbersIn, postprocess: ({ y }) => y!.data[0] });
    const errors: unknown[] = [];
    model.addEventListener("error", ({ detail }) => errors.push(detail));
    const item = { data: Float32Array.of(1).buffer };
    const signal = AbortSignal.abort("enough");
    await expect(model.predict(item, { transfer: true, signal })).rejects.toBe("enough");
    const mixed = { ...item, callback: () => undefined };
    await expect(model.predict(mixed, { transfer: true })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await model.dispose();
    await expect(model.predict(item, { transfer: true })).rejects.toMatchObject({ code: "DISPOSED" });
    expect([item.data.byteLength, errors]).toEqual([4, []]);
  });

  it("rejects open requests when it is disposed of", async () => {
    const model = await modelWith<string, unknown>({ preprocess: () => new Promise(() => undefined) });
    const pending = model.predict("1");
    await messages();
    await model.dispose();
    await expect(pending).rejects.toMatchObject({ code: "DISPOSED" });
  });

  it("gets each sample once, also for a model that is rewritten to take batches, so that it may close its image", async () => {
    const { bytes } = generateModel("fixed-1-described");
    const preprocess = (sample: { pixels: Float32Array }) => {
      const { pixels } = sample;
      if (pixels.length === 0) throw new Error("the image is closed");
      sample.pixels = new Float32Array(0);
      return pixels;
    };
    const samples = [0, 1, 2].map((value) => ({ pixels: new Float32Array(8).fill(value) }));
    const model = await modelWith<{ pixels: Float32Array }, unknown>({ preprocess }, { samples }, bytes);
    expect(model.stats().batchCheck).toMatchObject({ outcome: "passed" });
  });

  it("fails to load if a sample cannot be preprocessed", async () => {
    const loading = modelWith<string, unknown>(
      {
        preprocess() {
          throw new Error("no such file");
        },
      },
      { samples: ["1"] },
    );
    await expect(loading).rejects.toMatchObject({ code: "HANDLER_FAILED", message: "preprocess: no such file" });
  });
});

function detached(): ArrayBuffer {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

function transferredPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  structuredClone(port1, { transfer: [port1] }).close();
  port2.close();
  return port1;
}

function ownCause(): Error {
  const error = new Error("text");
  error.cause = error;
  return error;
}

const LOST = {
  name: "FramebatchError",
  message: "the test ended it",
  stack: undefined,
  code: "WORKER_CRASHED",
  details: {},
  cause: undefined,
} as const;

describe("the options of a model with handlers", () => {
  const worker = () => new Worker("unused");

  it.each<[object, string]>([
    [{ dedupe: true }, "dedupe"],
    [{ resultCacheSize: 5 }, "resultCacheSize"],
    [{ validate: "finite" }, "validate"],
    [{ shapeOf: 5 }, "shapeOf"],
    [{ samples: "1" }, "samples"],
    [{ samples: [() => 1] }, "samples"],
  ])("rejects %o", async (options, option) => {
    const site = handledSite(() => ({}));
    const loading = createHandledModelAt(site, keepSource(doublingModel()), { worker, ...options }, site);
    await expect(loading).rejects.toMatchObject({ code: "INVALID_OPTION", details: { option } });
  });
});
