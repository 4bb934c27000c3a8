import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createBatchedFunction } from "@framebatch/batcher/functions/batched-function.js";
import { createFrameClock, pageClock } from "@framebatch/host/host-timer.js";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
import { createBatchedWorkerAt } from "./create-batched-worker.js";
import { type BatchedWorkerOptions } from "./batched-worker-options.js";
import { handledSite } from "../../../test/support/channel-worker.js";
import { handledModel } from "../../../test/support/handled-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

/** An item that loses its getter and its method in a copy. */
class Text {
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }

  get id(): string {
    return `text ${this.number}`;
  }

  length(): number {
    return this.id.length;
  }
}

/** A function of the caller, and what it was called with. */
function recording<Returned>(answer: (item: Text) => Returned) {
  const given: unknown[] = [];
  const call = (item: Text): Returned => {
    given.push(item);
    return answer(item);
  };
  return { given, call };
}

const ended: (() => Promise<void>)[] = [];

beforeEach(() => stubBrowser());

afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  vi.unstubAllGlobals();
});

const shapes = () => recording((text) => ({ group: "", extents: [text.length()] }));

async function doublingWorker(options: BatchedWorkerOptions<Text>) {
  const site = handledSite<Text, number>(() => ({ run: (texts) => texts.map(({ number }) => 2 * number) }));
  const worker = await createBatchedWorkerAt<Text, number>(() => new Worker("unused"), options, site);
  ended.push(() => worker.dispose());
  return worker;
}

describe("a function of the caller gets each item itself, not a copy", () => {
  const [one, two] = [new Text(1), new Text(2)];

  it.each([{ dedupe: true }, { resultCacheSize: 4 }])(
    "shapeOf and contentKey of an engine, with %o",
    async (sharing) => {
      const [shapeOf, contentKey] = [shapes(), recording((text) => text.id)];
      const worker = await doublingWorker({ ...sharing, shapeOf: shapeOf.call, contentKey: contentKey.call });
      expect(await worker.predictMany([one, two])).toEqual([2, 4]);
      for (const { given } of [shapeOf, contentKey]) {
        expect(given).toHaveLength(2);
        expect(given[0]).toBe(one);
        expect(given[1]).toBe(two);
      }
    },
  );

  it("shapeOf of a model with handlers", async () => {
    const shapeOf = shapes();
    const handlers = { preprocess: ({ number }: Text) => Float32Array.of(number), postprocess: () => null };
    const model = await handledModel<Text, null>(() => handlers, {
      shapeOf: shapeOf.call,
      executionProviders: ["wasm"],
    });
    ended.push(() => model.dispose());
    await model.predict(one);
    expect(shapeOf.given[0]).toBe(one);
  });

  it("the functions of batched", async () => {
    const [shapeOf, contentKey, runs] = [shapes(), recording((text) => text.id), recording(({ number }) => number)];
    const options = { dedupe: true, shapeOf: shapeOf.call, contentKey: contentKey.call };
    const time = { clock: pageClock, frames: createFrameClock() };
    const double = createBatchedFunction<Text, number>((texts) => texts.map(runs.call), options, time);
    ended.push(() => double.dispose());
    await double(one);
    for (const { given } of [shapeOf, contentKey, runs]) expect(given[0]).toBe(one);
  });

  it("the functions of a pipeline", async () => {
    const names = ["toItem", "toResult", "stage", "split", "part", "key"] as const;
    const seen: Partial<Record<(typeof names)[number], unknown>> = {};
    const worker = await doublingWorker({
      resultCacheSize: 4,
      contentKey: (text) => {
        seen.key = text;
        return text.id;
      },
    });
    const pipeline = createPipeline<Text>()
      .stage((text) => (seen.stage = text))
      .stage(worker, {
        toItem: (text) => (seen.toItem = text),
        toResult: (_doubled, text) => (seen.toResult = text),
      })
      .split((text) => [(seen.split = text)])
      .stage((text) => (seen.part = text))
      .collect((texts) => texts);
    ended.push(() => pipeline.dispose());
    const [collected] = await pipeline.run(one);
    for (const name of names) expect(seen[name], name).toBe(one);
    expect(collected).toBe(one);
  });
});

it("equal items of a class of the caller share no result, unless contentKey says so", async () => {
  const worker = await doublingWorker({ resultCacheSize: 4 });
  for (const text of [new Text(3), new Text(3)]) expect(await worker.predict(text)).toBe(6);
  expect(worker.stats().requests.cacheHits).toBe(0);
});
