import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batched } from "./batched.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const RUN_MS = 30;

/** A batched function whose runs begin when they are called, and take as long each. Pairs of calls come 2 ms apart. */
async function afterPairs(pairs: number) {
  const run = batched<number, number>(
    (items) => new Promise((resolve) => setTimeout(() => resolve([...items]), RUN_MS)),
    { batching: { release: "idle" }, maxBatchSize: 1 },
  );
  for (let pair = 0; pair < pairs; pair++) {
    void run(1);
    await vi.advanceTimersByTimeAsync(2);
    void run(2);
    await vi.advanceTimersByTimeAsync(100);
  }
  return run.stats();
}

describe("a function whose runs overlap", () => {
  it.each([1, 2, 5, 50])("is known to take as long as each of them takes, after %i pairs", async (pairs) => {
    const { cost } = await afterPairs(pairs);
    expect(cost.curve[0]!.ms).toBeCloseTo(RUN_MS, 0);
  });
});
