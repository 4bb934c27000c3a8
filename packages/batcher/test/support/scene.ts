import type { Time } from "../../src/functions/batched-function.js";
import { createDecorator } from "../../src/functions/batched.js";
import type { BatchedOptions } from "../../src/options/options.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";

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
