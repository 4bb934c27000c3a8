import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fastestSize, measureRates } from "../src/ort/rate-curve.js";
import { aMinute } from "./support/fake-time.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
afterEach(() => void vi.useRealTimers());

function takes(ms: number): () => Promise<void> {
  return () => new Promise((resolve) => setTimeout(resolve, ms));
}

/** Measures the rates and returns that of one size. */
async function rateOf(wanted: number, prepare: Parameters<typeof measureRates>[0]): Promise<number | undefined> {
  const curve = measureRates(prepare);
  await aMinute();
  return (await curve).find(({ size }) => size === wanted)?.predictionsPerSec;
}

describe("the rates of batch sizes", () => {
  it("represent all batches, not only the one with the shortest items", async () => {
    expect(await rateOf(64, (size) => [takes(size), takes(3 * size)])).toBe(500);
  });

  it("are measured until the code gets no faster", async () => {
    let runs = 0;
    const compiledLate = () => [() => takes(runs++ < 100 ? 12 - Math.floor(runs / 10) : 2)()];
    expect(await rateOf(1, compiledLate)).toBe(500);
  });

  it("omit sizes that take too long, but include at least one size", async () => {
    expect(await rateOf(128, (size) => [takes(20 * size)])).toBeUndefined();
    expect(await rateOf(1, () => [takes(5000)])).toBe(0.2);
  });

  it("give the fastest size up to a number of callers", () => {
    const curve = [1, 2, 4].map((size) => ({ size, predictionsPerSec: 100 * size }));
    expect([256, 3, 1].map((callers) => fastestSize(curve, callers))).toEqual([4, 2, 1]);
  });
});
