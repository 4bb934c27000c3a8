import { describe, expect, it } from "vitest";
import { InFlight } from "./in-flight.js";
import { Overlap } from "./overlap.js";

/** Runs of one row, each dispatched and ended at these times, in the order of their ends. Returns the time that each shows. */
function timesOf(
  overlap: Overlap,
  runs: readonly (readonly [dispatchedAtMs: number, endedAtMs: number, rows?: number])[],
) {
  const inFlight = new InFlight(1);
  const events = runs.flatMap(([dispatchedAtMs, endedAtMs], run) => [
    { run, atMs: dispatchedAtMs, isEnd: false },
    { run, atMs: endedAtMs, isEnd: true },
  ]);
  const flights = runs.map(() => null as ReturnType<InFlight["dispatched"]> | null);
  const times: (number | null)[] = [];
  for (const { run, atMs, isEnd } of events.toSorted((a, b) => a.atMs - b.atMs || Number(b.isEnd) - Number(a.isEnd))) {
    if (!isEnd) flights[run] = inFlight.dispatched(atMs, 0);
    else {
      const flight = flights[run]!;
      inFlight.ended(flight, atMs);
      times[run] = overlap.timeOf(flight, runs[run]![2] ?? 1, atMs);
    }
  }
  return times;
}

describe("the time of a run behind another one", () => {
  it("begins with the end of the other one, on an engine that works on one after the other", () => {
    const overlap = new Overlap();
    expect(
      timesOf(overlap, [
        [0, 10],
        [2, 20],
        [10, 30],
        [20, 40],
      ]),
    ).toEqual([10, 10, 10, 10]);
    expect(overlap.isDoubtful).toBe(false);
  });

  it("is never the rest of a run that has overlapped with the other one", () => {
    const overlap = new Overlap();
    // The first pair raises a doubt, and the second one confirms it.
    expect(
      timesOf(overlap, [
        [0, 30],
        [2, 32],
        [30, 60],
      ]),
    ).toEqual([30, null, 28]);
    expect(overlap.isDoubtful).toBe(true);
    expect(
      timesOf(overlap, [
        [100, 130],
        [102, 132],
        [130, 160],
      ]),
    ).toEqual([30, 30, 28]);
    expect(overlap.isDoubtful).toBe(false);
  });

  it("is in doubt after a first run that took long, until another pair has shown that it did", () => {
    const overlap = new Overlap();
    expect(
      timesOf(overlap, [
        [0, 100],
        [5, 110],
        [100, 120],
      ]),
    ).toEqual([100, null, null]);
    expect(
      timesOf(overlap, [
        [200, 210],
        [201, 220],
        [210, 230],
      ]),
    ).toEqual([10, 10, 10]);
  });

  it("is in doubt behind a smaller batch, after which it may have taken as long either way, while nothing is known", () => {
    const overlap = new Overlap();
    expect(
      timesOf(overlap, [
        [0, 10],
        [4, 22, 4],
      ]),
    ).toEqual([10, null]);
    expect(overlap.isDoubtful).toBe(true);
  });

  it("is certain if it ends before the other one", () => {
    const overlap = new Overlap();
    expect(
      timesOf(overlap, [
        [0, 30],
        [2, 12],
        [12, 40],
      ]),
    ).toEqual([30, 10, 28]);
    expect(overlap.isDoubtful).toBe(false);
  });

  it("is that of one after the other again, once two pairs have shown it", () => {
    const overlap = new Overlap();
    timesOf(overlap, [
      [0, 30],
      [2, 12],
    ]);
    expect(
      timesOf(overlap, [
        [100, 110],
        [102, 120],
      ]),
    ).toEqual([10, null]);
    expect(
      timesOf(overlap, [
        [200, 210],
        [202, 220],
      ]),
    ).toEqual([10, 10]);
  });
});
