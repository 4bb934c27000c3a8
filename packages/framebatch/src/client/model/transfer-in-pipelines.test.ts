import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { modelOf, numberOf } from "../../../test/support/entries.js";
import { Scene } from "@framebatch/batcher/test/scene.js";
import { outcomeOf, pipelineOn } from "@framebatch/pipelines/test/pipelines.js";

/** Reads a stream in the background. */
async function readAll<Out>(stream: AsyncGenerator<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for await (const result of stream) results.push(result);
  return results;
}

describe("an item that may be moved", () => {
  // defect C6
  it.each([
    ["a full queue", { maxQueueSize: 1 }],
    ["a full queue and a result cache", { maxQueueSize: 1, resultCacheSize: 4, contentKey: () => undefined }],
    ["a latency objective", { maxLatencyMs: 12 }],
  ])("is the caller's until the model has room for it, so that a stream can wait: %s", async (_what, options) => {
    const scene = new Scene();
    const { model } = modelOf(scene, { maxBatchSize: 1, ...options });
    const arrays = [1, 2, 3, 4, 5, 6].map((item) => Float32Array.of(item));
    const pipeline = pipelineOn<Float32Array>(scene.clock).stage(model, { transfer: true });
    const results = outcomeOf(readAll(pipeline.runStream(arrays)));
    for (let run = 0; run < 40; run++) {
      await scene.step();
      await scene.answer(4);
    }
    scene.clock.advanceTo(scene.clock.now() + 50);
    for (let run = 0; run < 40; run++) {
      await scene.step();
      await scene.answer(4);
    }
    expect(await results).toMatchObject([2, 4, 6, 8, 10, 12].map((y) => ({ y: { data: Float32Array.of(y) } })));
    expect(arrays.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  // defect C6
  it("is asked for again through a wrapper of the model, too", async () => {
    const scene = new Scene();
    const { model } = modelOf(scene, { maxBatchSize: 1, maxLatencyMs: 12 });
    const predict: typeof model.predict = (item, options) => model.predict(item, { ...options });
    const pipeline = pipelineOn<Float32Array>(scene.clock).stage({ predict }, { transfer: true });
    const stream = pipeline.runStream([1, 2, 3, 4, 5, 6].map((item) => Float32Array.of(item)));
    const results = outcomeOf(readAll(stream));
    for (let run = 0; run < 40; run++) {
      await scene.step();
      await scene.answer(4);
    }
    expect(await results).toHaveLength(6);
  });

  // defect C6
  it.each([
    ["has no room", { maxQueueSize: 1, resultCacheSize: 4, contentKey: () => undefined }, "OVERLOADED"],
    ["is disposed", {}, "DISPOSED"],
    ["gets an aborted signal", {}, "enough"],
  ])("is left intact by a model that %s", async (_what, options, reason) => {
    const scene = new Scene();
    const { batcher, model } = modelOf(scene, { maxBatchSize: 1, ...options });
    for (let item = 0; item < 3; item++) void outcomeOf(model.predict([item])).then(() => scene.step());
    await scene.step();
    void outcomeOf(model.predict([3]));
    void outcomeOf(model.predict([4]));
    await scene.step();
    if (reason === "DISPOSED") batcher.dispose(new FramebatchError("DISPOSED", "gone"));
    const array = Float32Array.of(7);
    const signal = reason === "enough" ? AbortSignal.abort(reason) : new AbortController().signal;
    const outcome = outcomeOf(model.predict(array, { transfer: true, signal }));
    expect([...array]).toEqual([7]);
    await scene.step();
    if (reason === "enough") expect(await outcome).toBe(reason);
    else expect(await outcome).toMatchObject({ code: reason });
  });
});

describe("an item of a list", () => {
  // defect C6
  it("is moved when the model takes it", async () => {
    const scene = new Scene();
    const { model } = modelOf(scene);
    const arrays = [Float32Array.of(1), Float32Array.of(2)];
    const all = model.predictMany(arrays, { transfer: true });
    expect(arrays.map(({ length }) => length)).toEqual([0, 0]);
    await scene.answerAll();
    expect((await all).map(numberOf)).toEqual([2, 4]);
  });
});
