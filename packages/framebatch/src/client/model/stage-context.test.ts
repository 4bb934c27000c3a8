import { describe, expect, expectTypeOf, it } from "vitest";
import { batched } from "@framebatch/batcher/functions/batched.js";
import type { BatchedModel, ItemOf, OutputsOf } from "../options/model.js";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
import type { Pipeline } from "@framebatch/pipelines/builder/pipeline.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { modelOf } from "../../../test/support/entries.js";
import { Scene } from "@framebatch/batcher/test/scene.js";
import { heldStage, settled } from "@framebatch/pipelines/test/held-stage.js";
import { outcomeOf, pipelineOn } from "@framebatch/pipelines/test/pipelines.js";

interface Photo {
  readonly name: string;
  readonly size: number;
}

const double = batched((sizes: readonly number[]) => sizes.map((size) => 2 * size));
const photos = ["a", "bb", "ccc"].map((name): Photo => ({ name, size: name.length }));

describe("a stage with context", () => {
  it("gives its model a part of what comes, and its result beside what came", async () => {
    const pipeline = createPipeline<Photo>().stage(double, {
      toItem: ({ size }) => size,
      toResult: (doubled, { name }) => `${name}: ${doubled}`,
    });
    expect(await Promise.all(photos.map((photo) => pipeline.run(photo)))).toEqual(["a: 2", "bb: 4", "ccc: 6"]);
  });

  it("needs only one of the two functions", async () => {
    const taken = createPipeline<Photo>().stage(double, { toItem: ({ size }) => size });
    const given = createPipeline<number>().stage(double, { toResult: (doubled, size) => [size, doubled] });
    expect(await taken.run({ name: "a", size: 4 })).toBe(8);
    expect(await given.run(4)).toEqual([4, 8]);
  });

  it("works on the parts of a split, with models, functions and pipelines", async () => {
    const model = { predict: async (size: number) => size + 1 };
    const inner = createPipeline<number>().stage((size) => size * 10);
    const pipeline = createPipeline<readonly Photo[]>()
      .split((all) => all)
      .stage(model, { toItem: ({ size }) => size, toResult: async (size, photo) => ({ ...photo, size }) })
      .stage(inner, { toItem: ({ size }) => size, toResult: (size, { name }) => `${name}${size}` })
      .collect((texts) => texts.join(" "));
    expect(await pipeline.run(photos)).toBe("a20 bb30 ccc40");
  });

  it.each([
    ["toItem", {}],
    ["toResult", { toItem: ({ size }: Photo) => size }],
  ])("fails its own item if %s throws, with the error as the cause of STAGE_FAILED", async (name, others) => {
    const broken = new RangeError("no such photo");
    const fail = () => {
      throw broken;
    };
    const pipeline = createPipeline<Photo>().stage(double, { toItem: fail, ...others, [name]: fail, name: "doubler" });
    const error = await outcomeOf(pipeline.run({ name: "a", size: 1 }));
    expect(error).toMatchObject({ code: "STAGE_FAILED", cause: broken, details: { stage: 0, stageName: "doubler" } });
    expect(pipeline.stats().stages[0]).toMatchObject({ accepted: 1, failed: 1, inFlight: 0 });
  });

  it("keeps the code of a FramebatchError that a function throws", async () => {
    const refused = new FramebatchError("INVALID_INPUT", "not a photo");
    const pipeline = createPipeline<Photo>().stage(double, {
      toItem: () => {
        throw refused;
      },
    });
    expect(await outcomeOf(pipeline.run({ name: "a", size: 1 }))).toMatchObject({ code: "INVALID_INPUT" });
  });

  it("passes signal, priority and time to its model, and calls nothing for an item that was aborted", async () => {
    const { calls, stage } = heldStage<number, number>();
    const results: number[] = [];
    const pipeline = pipelineOn<Photo>().stage(
      { predict: stage },
      { toItem: ({ size }) => size, toResult: (result) => results.push(result) },
    );
    const controller = new AbortController();
    const options = { signal: controller.signal, priority: "background", timeoutMs: 40 } as const;
    const run = outcomeOf(pipeline.run({ name: "a", size: 3 }, options));
    expect(calls).toMatchObject([{ item: 3, options: { priority: "background", timeoutMs: 40 } }]);
    controller.abort("enough");
    expect(calls[0]?.options.signal.aborted).toBe(true);
    calls[0]?.resolve(1);
    expect(await run).toBe("enough");
    await settled();
    expect(results).toEqual([]);
  });

  it("makes an item once, even if its model has no room for it at first", async () => {
    const scene = new Scene();
    const { model } = modelOf(scene, { maxBatchSize: 1, maxQueueSize: 1 });
    const made: number[] = [];
    const pipeline = pipelineOn<number>(scene.clock).stage(model, {
      toItem: (number) => (made.push(number), Float32Array.of(number)),
      toResult: ({ y }, number) => [number, Number(y?.data[0])],
      transfer: true,
    });
    const results: unknown[] = [];
    const end = outcomeOf(
      (async () => {
        for await (const result of pipeline.runStream([1, 2, 3, 4, 5, 6])) results.push(result);
      })(),
    );
    for (let run = 0; run < 40; run++) {
      await scene.step();
      await scene.answer(4);
    }
    expect(await end).toBeUndefined();
    expect(results).toEqual([1, 2, 3, 4, 5, 6].map((number) => [number, 2 * number]));
    expect(made).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("shows toResult the value with the buffers that its model has taken", async () => {
    const scene = new Scene();
    const { model } = modelOf(scene);
    const pipeline = pipelineOn<{ readonly pixels: Float32Array }>(scene.clock).stage(model, {
      toItem: ({ pixels }) => pixels,
      toResult: (_outputs, { pixels }) => pixels.length,
      transfer: true,
    });
    const run = pipeline.run({ pixels: Float32Array.of(1) });
    await scene.answerAll();
    expect(await run).toBe(0);
  });

  it("refuses options that are no functions", () => {
    const pipeline = createPipeline<number>();
    const wrong = (options: object) => () => Reflect.apply(Reflect.get(pipeline, "stage"), pipeline, [double, options]);
    expect(wrong({ toItem: 1 })).toThrow("toItem: expected a function, got number 1; write (value) => item");
    expect(wrong({ toResult: "x" })).toThrow("toResult: expected a function");
    expect(wrong({ toItems: () => 1 })).toThrow('did you mean "toItem"?');
  });

  it("is typed by its model and by what came", () => {
    type Digits = { inputs: { image: Float32Array }; outputs: { logits: Float32Array } };
    const define = (model: BatchedModel<ItemOf<Digits>, OutputsOf<Digits>>) => {
      const start = createPipeline<Photo>();
      const both = start.stage(model, {
        toItem: ({ size }) => ({ image: new Float32Array(size) }),
        toResult: ({ logits }, { name }) => ({ name, best: Math.max(...logits.data) }),
      });
      expectTypeOf(both).toEqualTypeOf<Pipeline<Photo, { name: string; best: number }>>();
      const itemOnly = start.stage(model, { toItem: ({ size }) => new Float32Array(size) });
      expectTypeOf(itemOnly).toEqualTypeOf<Pipeline<Photo, OutputsOf<Digits>>>();
      const awaited = start
        .stage(({ size }) => new Float32Array(size))
        .stage(model, { toResult: async (outputs) => outputs.logits.dims });
      expectTypeOf(awaited).toEqualTypeOf<Pipeline<Photo, readonly number[]>>();
      // @ts-expect-error -- the model has no such input
      start.stage(model, { toItem: ({ size }) => ({ picture: new Float32Array(size) }) });
      // @ts-expect-error -- the model has no such output
      start.stage(model, { toItem: () => new Float32Array(1), toResult: ({ scores }) => scores });
      // @ts-expect-error -- a photo is no item of the model
      start.stage(model, { toResult: (outputs) => outputs });
    };
    expectTypeOf(define).toBeFunction();
  });
});
