import { describe, expect, it } from "vitest";
import { TimedRuns } from "../../../src/worker/session/timed-runs.js";

interface Case {
  readonly costMs: (size: number) => number;
  /** What the first run of a size takes on top. */
  readonly preparingMs?: number;
  readonly compiles?: boolean;
  readonly extents?: readonly number[];
}

/** Warms up a model whose runs take `costMs`, on a clock that only they move. Tells which sizes ran, and what was noted. */
async function warmUp({ costMs, preparingMs = 0, compiles = false, extents = [] }: Case) {
  let nowMs = 1000;
  const ran: number[] = [];
  const run = (size: number) => {
    nowMs += costMs(size) + (ran.includes(size) ? 0 : preparingMs);
    ran.push(size);
    return Promise.resolve();
  };
  const runs = new TimedRuns(run, extents, compiles, () => nowMs);
  await runs.first(1);
  await runs.measure(1, [2, 8]);
  return { ran, timings: runs.timings };
}

describe("the warm-up", () => {
  it("runs each size twice and times the second run", async () => {
    const { ran, timings } = await warmUp({ costMs: (size) => 4 + size / 2, preparingMs: 10 });
    expect(ran).toEqual([1, 1, 2, 2, 8, 8]);
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

  it("gives up repeating where the clock stands still", async () => {
    const { ran } = await warmUp({ costMs: () => 0 });
    expect(ran.filter((size) => size === 8)).toHaveLength(1 + 16);
  });

  it("leaves out a size that is predicted to be beyond the budget", async () => {
    const { ran, timings } = await warmUp({ costMs: (size) => 12 * size });
    expect(ran).toEqual([1, 1, 2, 2]);
    expect(timings.map(({ size }) => size)).toEqual([1, 2]);
  });

  it("takes the first run of a size for its time where there is no time for a second one", async () => {
    const { ran, timings } = await warmUp({ costMs: (size) => 40 * size });
    expect(ran).toEqual([1, 1, 2]);
    expect(timings.at(-1)).toEqual({ size: 2, volume: 1, ms: 80 });
  });

  it("runs a slow model once", async () => {
    const { ran, timings } = await warmUp({ costMs: () => 200 });
    expect(ran).toEqual([1]);
    expect(timings).toEqual([{ size: 1, volume: 1, ms: 200 }]);
  });

  it("never takes a compilation for the time of a run", async () => {
    const { ran, timings } = await warmUp({ costMs: (size) => 2 + size, preparingMs: 140, compiles: true });
    expect(ran).toEqual([1, 1, 2]);
    expect(timings).toEqual([{ size: 1, volume: 1, ms: 3 }]);
  });

  it("counts volume as batches count it", async () => {
    const { timings } = await warmUp({ costMs: () => 5, extents: [16, 2] });
    expect(timings.map(({ volume }) => volume)).toEqual([32, 32, 32]);
  });
});
