import { describe, expect, it } from "vitest";
import { HandWritten } from "../src/lanes/hand-written.js";
import { splitByShape } from "../src/lanes/peer-session.js";
import { shapeOf } from "../src/ort/item-shape.js";
import type { BenchItem, Numbers } from "../src/ort/tensors.js";

function item(length: number): BenchItem {
  return { x: { type: "float32", dims: [length], data: new Float32Array(length) } };
}

/** A worker that answers a batch with the lengths of its items when the test calls `finishOne`. */
class SlowWorker {
  readonly sizes: number[] = [];
  readonly #waiting: (() => void)[] = [];

  readonly run = (items: readonly BenchItem[]): Promise<Numbers[]> => {
    this.sizes.push(items.length);
    return new Promise((resolve) => this.#waiting.push(() => resolve(items.map(({ x }) => [x!.data.length]))));
  };

  async finishOne(): Promise<void> {
    this.#waiting.shift()?.();
    await settled();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

describe("the hand-written batcher", () => {
  it("sends all calls of one task as one batch", async () => {
    const worker = new SlowWorker();
    const batcher = new HandWritten(worker.run, () => "");
    const answers = Promise.all([1, 2, 3].map((length) => batcher.ask(item(length))));
    await settled();
    expect(worker.sizes).toEqual([3]);
    await worker.finishOne();
    expect(await answers).toEqual([[1], [2], [3]]);
  });

  it("keeps at most two batches of at most 256 in flight and sends the next one when one completes", async () => {
    const worker = new SlowWorker();
    const batcher = new HandWritten(worker.run, () => "");
    const answers = Array.from({ length: 600 }, () => batcher.ask(item(1)));
    await settled();
    expect(worker.sizes).toEqual([256, 256]);
    await worker.finishOne();
    expect(worker.sizes).toEqual([256, 256, 88]);
    await worker.finishOne();
    await worker.finishOne();
    expect(await Promise.all(answers)).toHaveLength(600);
  });

  it("batches items of equal shape, starting with the shape of the oldest", async () => {
    const worker = new SlowWorker();
    const batcher = new HandWritten(worker.run, shapeOf);
    const answers = Promise.all([5, 7, 5, 7, 7].map((length) => batcher.ask(item(length))));
    await settled();
    expect(worker.sizes).toEqual([2, 3]);
    await worker.finishOne();
    await worker.finishOne();
    expect(await answers).toEqual([[5], [7], [5], [7], [7]]);
  });

  it("rejects the calls of a failed batch and continues", async () => {
    let runs = 0;
    const fails = () => (runs++ === 0 ? Promise.reject(new Error("broken")) : Promise.resolve([[1]]));
    const batcher = new HandWritten(fails, () => "");
    await expect(batcher.ask(item(1))).rejects.toThrow("broken");
    expect(await batcher.ask(item(1))).toEqual([1]);
  });
});

describe("a list of items of several shapes", () => {
  it("runs as one batch per shape and keeps the order of the items", async () => {
    const sizes: number[] = [];
    const run = splitByShape((items) => {
      sizes.push(items.length);
      return Promise.resolve(items.map(({ x }) => [x!.data.length]));
    });
    expect(await run([5, 7, 5, 7, 7].map(item))).toEqual([[5], [7], [5], [7], [7]]);
    expect(sizes).toEqual([2, 3]);
  });
});
