import { describe, expect, it } from "vitest";
import { batching } from "../../test/support/batching.js";

/** A batcher whose engine runs two batches at a time, and the predicted time of each batch so far. */
function scene() {
  const { batcher, clock, engine, task } = batching({ maxBatchSize: 1, engines: 2 });
  const predictions = () => engine.predictions;
  return { batcher, clock, engine, task, predictions };
}

describe("the time of a run", () => {
  it("is not that of the sleep of the page during it", () => {
    const { clock, engine, task, predictions } = scene();
    task("ab");
    clock.freezeUntil(70_000);
    engine.answer();
    engine.answer();
    task("c");
    expect(predictions()).toEqual([null, null, null]);
  });

  it("stays that of earlier runs while the page sleeps", () => {
    const { clock, engine, task, predictions } = scene();
    for (const endMs of [5, 10, 70_000]) {
      task("a");
      clock.freezeUntil(endMs);
      engine.answer();
    }
    task("b");
    expect(predictions().at(-1)).toBe(5);
  });

  it("is that of slow runs, once two in a row were slow", () => {
    const { clock, engine, task, predictions } = scene();
    for (const endMs of [3000, 6000]) {
      task("a");
      clock.freezeUntil(endMs);
      engine.answer();
    }
    task("b");
    expect(predictions()).toEqual([null, null, 3000]);
  });

  it("is not that of the engine's starts, however many runs wait for one", () => {
    const { clock, engine, task, predictions } = scene();
    const delayed = (items: readonly string[]) => ({ results: items, inferenceMs: 5, isDelayed: true });
    for (const endMs of [60_000, 120_000, 180_000]) {
      task("a");
      clock.freezeUntil(endMs);
      engine.answer(delayed);
    }
    task("b");
    expect(predictions()).toEqual([null, null, null, null]);
  });
});
