import { createBatchedFunction, FunctionEngine } from "@framebatch/batcher/functions/batched-function.js";
import type { Outputs } from "../../src/client/options/model.js";
import { tensorItems } from "../../src/client/model/item-kind.js";
import { ModelRequests } from "../../src/client/model/page-model.js";
import type { BatchedOptions, ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { BatcherConfig } from "@framebatch/batcher/batcher/batcher-config.js";
import { Collator } from "@framebatch/rows/collate/collator.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { type Scene, decorated } from "@framebatch/batcher/test/scene.js";

/** Options as a caller in plain JavaScript may write them. */
export type Asked = ModelPredictOptions;

/** One entry point for requests. The result of every number is twice the number. */
export interface Entry {
  /** Requests all items. An entry point for one item requests only the first. */
  ask(items: readonly number[], options?: Asked): Promise<number[]>;
}

/** A model's requests on a batcher that runs `scene.double`. */
export function modelOf(scene: Scene, config: Partial<BatcherConfig<PreparedItem, Outputs>> = {}) {
  const signature = resolveSignature(
    [{ name: "x", type: "float32", shape: ["batch", 1] }],
    [{ name: "y", type: "float32", shape: ["batch", 1] }],
  );
  const collator = new Collator(signature, planPadding(signature));
  const run = async (rows: readonly PreparedItem[]): Promise<Outputs[]> => {
    const doubled = await scene.double(rows.map(({ data }) => Number(data[0]?.[0])));
    return doubled.map((number) => ({ y: { type: "float32", dims: [1], data: Float32Array.of(number) } }));
  };
  const batcher = new Batcher<PreparedItem, Outputs>({
    clock: scene.clock,
    frames: scene.frames,
    engine: new FunctionEngine(run),
    release: "idle",
    maxBatchSize: 8,
    shapeOf: ({ shape }) => shape,
    take: (row) => row.take?.(),
    ...config,
  });
  return {
    batcher,
    model: new ModelRequests({ ...tensorItems(collator.reader, null), queue: batcher, clock: scene.clock }),
  };
}

/** Every entry point, with batches of at most `maxBatchSize`. */
export const ENTRIES: Readonly<Record<string, (scene: Scene, maxBatchSize: number) => Entry>> = {
  predict: (scene, maxBatchSize) => {
    const { model } = modelOf(scene, { maxBatchSize });
    return { ask: async (items, options) => [numberOf(await model.predict(scene.array(firstOf(items)), options))] };
  },
  predictDetailed: (scene, maxBatchSize) => {
    const { model } = modelOf(scene, { maxBatchSize });
    return {
      ask: async (items, options) => {
        const { outputs } = await model.predictDetailed(scene.array(firstOf(items)), options);
        return [numberOf(outputs)];
      },
    };
  },
  predictMany: (scene, maxBatchSize) => {
    const { model } = modelOf(scene, { maxBatchSize });
    return {
      ask: async (items, options) => (await model.predictMany(arraysOf(scene, items), options)).map(numberOf),
    };
  },
  predictStream: (scene, maxBatchSize) => {
    const { model } = modelOf(scene, { maxBatchSize });
    return {
      async ask(items, options) {
        const numbers: number[] = [];
        for await (const outputs of model.predictStream(arraysOf(scene, items), options)) {
          numbers.push(numberOf(outputs));
        }
        return numbers;
      },
    };
  },
  "batched()": (scene, maxBatchSize) => {
    const double = createBatchedFunction(scene.double, idle(maxBatchSize), scene.time);
    return { ask: async (items, options) => [await double(firstOf(items), options)] };
  },
  ".many": (scene, maxBatchSize) => {
    const double = createBatchedFunction(scene.double, idle(maxBatchSize), scene.time);
    return { ask: (items, options) => double.many(items, options) };
  },
  "@batched": (scene, maxBatchSize) => {
    const double = decorated(scene, idle(maxBatchSize)).method;
    const instance = {};
    return { ask: async (items, options) => [...(await Reflect.apply(double, instance, [items, options]))] };
  },
};

function idle(maxBatchSize: number): BatchedOptions<number> {
  return { batching: { release: "idle" }, maxBatchSize };
}

function firstOf(items: readonly number[]): number {
  return items[0] ?? Number.NaN;
}

function* arraysOf(scene: Scene, items: readonly number[]): Generator<Float32Array> {
  for (const item of items) yield scene.array(item);
}

export function numberOf({ y }: Outputs): number {
  return Number(y?.data[0]);
}
