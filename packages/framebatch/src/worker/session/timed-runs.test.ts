import { describe, expect, it } from "vitest";
import { TimedRuns } from "./timed-runs.js";

interface Case {
  /** Time of a run of `size` rows after `earlier` runs, in milliseconds. */
  readonly costMs: (size: number, earlier: number) => number;
  /** Additional time of the first run of a size, in milliseconds. */
  readonly preparingMs?: number;
  readonly compiles?: boolean;
  readonly extents?: readonly number[];
}

/**
 * Warms up a model whose runs take `costMs`, on a clock that only these runs advance. Returns the sizes that ran, and
 * the timings.
 */
async function warmUp({ costMs, preparingMs = 0, compiles = false, extents = [] }: Case) {
  let nowMs = 1000;
  const ran: number[] = [];
  const run = (size: number) => {
    nowMs += costMs(size, ran.length) + (ran.includes(size) ? 0 : preparingMs);
    ran.push(size);
    return Promise.resolve();
  };
  const runs = new TimedRuns(run, extents, compiles, () => nowMs);
  await runs.first(1);
  await runs.measure(1, [2, 8]);
  return { ran, timings: runs.timings };
}

describe("the warm-up", () => {
  it("runs each size twice, times the second run, and ends with the first size", async () => {
    const { ran, timings } = await warmUp({ costMs: (size) => 4 + size / 2, preparingMs: 10 });
    expect(ran).toEqual([1, 1, 2, 2, 8, 8, 1]);
    expect(timings.map(({ size, ms }) => [size, ms])).toEqual([
      [1, 4.5],
      [2, 5],
      [8, 8],
    ]);
  });

  it("repeats runs that are too short for the clock", async () => {
    const { ran, timings } = await warmUp({ costMs: () => 0.25 });
    expect(ran.filter((size) => size === 8)).toHaveLength(1 + 4);
    expect(timings.at(-1)).toEqual({ size: 8, volume: 1, ms: 0.25 });
  });

  it("stops repeating if the clock does not advance", async () => {
    const { ran } = await warmUp({ costMs: () => 0 });
    expect(ran.filter((size) => size === 8)).toHaveLength(1 + 16);
  });

  it("omits a size that is predicted to exceed the budget", async () => {
    const { ran, timings } = await warmUp({ costMs: (size) => 12 * size });
    expect(ran).toEqual([1, 1, 2, 2, 1]);
    expect(timings.map(({ size }) => size)).toEqual([1, 2]);
  });

  it("corrects the time of the first size if later runs are faster, and only then", async () => {
    const { timings } = await warmUp({ costMs: (size, earlier) => size + Math.max(0, 4 - earlier) });
    expect(timings.map(({ ms }) => ms)).toEqual([1, 3, 8]);
    const slowing = await warmUp({ costMs: (size, earlier) => size + earlier });
    expect(slowing.timings[0]?.ms).toBe(2);
  });

  it("uses the first run of a size as its time if the budget has no room for a second", async () => {
    const { ran, timings } = await warmUp({ costMs: (size) => 40 * size });
    expect(ran).toEqual([1, 1, 2]);
    expect(timings.at(-1)).toEqual({ size: 2, volume: 1, ms: 80 });
  });

  it("runs a slow model once", async () => {
    const { ran, timings } = await warmUp({ costMs: () => 200 });
    expect(ran).toEqual([1]);
    expect(timings).toEqual([{ size: 1, volume: 1, ms: 200 }]);
  });

  it("never reports a compilation as the time of a run", async () => {
    const { ran, timings } = await warmUp({ costMs: (size) => 2 + size, preparingMs: 140, compiles: true });
    expect(ran).toEqual([1, 1, 2]);
    expect(timings).toEqual([{ size: 1, volume: 1, ms: 3 }]);
  });

  it("counts volume in the same way as batches", async () => {
    const { timings } = await warmUp({ costMs: () => 5, extents: [16, 2] });
    expect(timings.map(({ volume }) => volume)).toEqual([32, 32, 32]);
  });
});
