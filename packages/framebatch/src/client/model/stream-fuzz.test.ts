import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { modelOf, numberOf } from "../../../test/support/entries.js";
import { Scene } from "@framebatch/batcher/test/scene.js";
import { settled } from "@framebatch/pipelines/test/held-stage.js";

const INVALID: readonly number[] = [1, 2];

/** One stream: its items, and how it and its source end. */
const anyStream = fc.record({
  items: fc.array(fc.constantFrom<"good" | "bad">("good", "good", "good", "bad"), { maxLength: 8 }),
  isAsync: fc.boolean(),
  isMoved: fc.boolean(),
  ending: fc.constantFrom("end", "leave", "abort", "abort itself", "throw"),
  after: fc.nat(5),
  closing: fc.constantFrom("well", "never", "throws"),
});

const anyScene = fc.record({
  streams: fc.array(anyStream, { minLength: 1, maxLength: 3 }),
  maxBatchSize: fc.integer({ min: 1, max: 4 }),
  maxQueueSize: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  maxLatencyMs: fc.option(fc.integer({ min: 5, max: 40 }), { nil: undefined }),
  others: fc.nat(4),
  disposedAfter: fc.option(fc.nat(8), { nil: undefined }),
});

type StreamShape = typeof anyStream extends fc.Arbitrary<infer Shape> ? Shape : never;

/** A source by hand, which counts how often it is closed. */
function sourceOf({ items, isAsync, ending, after, closing }: StreamShape, abort: () => void) {
  const state = { closed: 0, isOpened: false, isOver: false };
  let index = 0;
  const next = () => {
    if (ending === "abort itself" && index === after) abort();
    if (ending === "throw" && index === after) {
      state.isOver = true;
      throw new RangeError("the source broke");
    }
    const kind = items[index++];
    state.isOver = kind === undefined;
    if (kind === undefined) return { done: true as const, value: undefined };
    return { done: false as const, value: kind === "bad" ? [...INVALID] : Float32Array.of(index) };
  };
  const close = () => {
    state.closed += 1;
    if (closing === "throws") throw new RangeError("the source does not close");
    return closing === "never" ? new Promise<never>(() => {}) : { done: true as const, value: undefined };
  };
  const iterator = { next: isAsync ? async () => next() : next, return: close };
  const name = isAsync ? Symbol.asyncIterator : Symbol.iterator;
  const source: Iterable<Float32Array> = Object.assign({ [name]: () => ((state.isOpened = true), iterator) });
  return { state, source };
}

type Model = ReturnType<typeof modelOf>["model"];

/** Reads a stream as its shape says, and returns what it has yielded. */
async function read(model: Model, shape: StreamShape, controller: AbortController) {
  const { source, state } = sourceOf(shape, () => controller.abort("enough"));
  const results: number[] = [];
  try {
    const options = { signal: controller.signal, transfer: shape.isMoved };
    for await (const outputs of model.predictStream(source, options)) {
      results.push(numberOf(outputs));
      if (shape.ending === "leave" && results.length > shape.after) break;
    }
  } catch (error) {
    const isKnown = error === "enough" || error instanceof FramebatchError || error instanceof RangeError;
    expect(isKnown).toBe(true);
  }
  return { results, state };
}

describe("any streams of a model, whatever their sources do", () => {
  it("settle, close their sources once, and end each item that they took over once", async () => {
    const property = fc.asyncProperty(anyScene, async ({ streams, others, disposedAfter, ...options }) => {
      const scene = new Scene();
      const taken = new Set<object>();
      const ended = new Map<object, number>();
      const { batcher, model } = modelOf(scene, {
        maxBatchSize: options.maxBatchSize,
        ...(options.maxQueueSize !== undefined && { maxQueueSize: options.maxQueueSize }),
        ...(options.maxLatencyMs !== undefined && { maxLatencyMs: options.maxLatencyMs }),
        take(row) {
          taken.add(row);
          row.take?.();
        },
        onSettled: (row) => ended.set(row, (ended.get(row) ?? 0) + 1),
      });
      const controllers = streams.map(() => new AbortController());
      const reading = new Set(streams);
      const reads = streams.map(async (shape, index) => {
        const outcome = await read(model, shape, controllers[index] ?? new AbortController());
        reading.delete(shape);
        return outcome;
      });
      for (let other = 0; other < others; other++) model.predict([other]).catch(() => {});
      for (let step = 0; step < 60 && reading.size > 0; step++) {
        await scene.step();
        if (step === disposedAfter) batcher.dispose(new FramebatchError("DISPOSED", "gone"));
        for (const [index, { ending, after }] of streams.entries())
          if (ending === "abort" && step === after) controllers[index]?.abort("enough");
        await scene.answer(2);
      }
      expect([...reading]).toEqual([]);
      for (const { results, state } of await Promise.all(reads)) {
        expect(results).toEqual(results.map((_, index) => 2 * (index + 1)));
        // An end that is on its way is not known yet.
        expect(state.closed).toBeLessThanOrEqual(1);
        if (state.isOpened && !state.isOver) expect(state.closed).toBe(1);
      }
      await scene.answerAll();
      await settled();
      for (const row of taken) expect(ended.get(row)).toBe(1);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
