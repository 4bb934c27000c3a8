import { createBatchedFunction, type Time } from "../../src/client/functions/batched-function.js";
import { createDecorator } from "../../src/client/functions/batched-method.js";
import { FunctionEngine } from "../../src/client/functions/function-engine.js";
import type { Outputs } from "../../src/client/options/model.js";
import { tensorItems } from "../../src/client/model/tensor-items.js";
import { ModelRequests } from "../../src/client/model/model-requests.js";
import type { BatchedOptions, ModelPredictOptions } from "../../src/client/options/options.js";
import { Batcher } from "../../src/core/batcher/batcher.js";
import type { BatcherConfig } from "../../src/core/batcher/batcher-config.js";
import { Collator } from "../../src/core/collate/collator.js";
import { resolveSignature } from "../../src/core/model/batch-axis.js";
import { planPadding } from "../../src/core/padding/plan.js";
import type { PreparedItem } from "../../src/core/collate/prepared-item.js";
import { ManualClock } from "./manual-clock.js";
import { ManualFrames } from "./manual-frames.js";

/** Options as a caller in plain JavaScript may write them. */
export type Asked = ModelPredictOptions;

/** One entry point for requests. The result of every number is twice the number. */
export interface Entry {
  /** Requests all items. An entry point for one item requests only the first. */
  ask(items: readonly number[], options?: Asked): Promise<number[]>;
}

/** A list function whose results and clock the test controls. */
export class Scene {
  readonly clock = new ManualClock();
  readonly frames = new ManualFrames();
  readonly batches: number[][] = [];
  /** The arrays passed to a model, in order. */
  readonly arrays: Float32Array[] = [];
  readonly #open: (() => void)[] = [];

  get time(): Time {
    return { clock: this.clock, frames: this.frames };
  }

  readonly double = (items: readonly number[]): Promise<number[]> => {
    this.batches.push([...items]);
    return new Promise((resolve) => this.#open.push(() => resolve(items.map((item) => 2 * item))));
  };

  /** Runs everything that does not depend on a result. */
  async step(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.endTask();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Answers the oldest batch, after this many milliseconds. */
  async answer(afterMs = 0): Promise<void> {
    this.clock.advanceTo(this.clock.now() + afterMs);
    this.#open.shift()?.();
    await this.step();
  }

  async answerAll(): Promise<void> {
    await this.step();
    while (this.#open.length > 0) await this.answer();
  }

  array(item: number): Float32Array {
    const array = Float32Array.of(item);
    this.arrays.push(array);
    return array;
  }
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
    model: new ModelRequests({ ...tensorItems(collator.reader, {}), queue: batcher, clock: scene.clock }),
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

type Double = (this: object, items: readonly number[]) => Promise<readonly number[]>;

/** Applies a decorator to a method as a class would; the test runner cannot parse decorator syntax. */
export function decorated(scene: Scene, options: BatchedOptions<number> = {}) {
  const decorator = createDecorator(options, scene.time);
  const double: Double = scene.double;
  const method = decorator(double, {
    kind: "method",
    name: "double",
    static: false,
    private: false,
    metadata: {},
    access: { has: () => true, get: () => double },
    addInitializer: () => {},
  });
  return { decorator, method };
}

/** A signal like that of a browser's `TaskController`, which Node lacks. */
export function taskSignal(): { signal: AbortSignal; set: (priority: string) => void } {
  const task = Object.assign(new AbortController().signal, { priority: "background" });
  return {
    signal: task,
    set(priority) {
      task.priority = priority;
      task.dispatchEvent(new Event("prioritychange"));
    },
  };
}

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
