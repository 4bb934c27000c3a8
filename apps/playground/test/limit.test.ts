import { describe, expect, it } from "vitest";
import { learnLimit, UNKNOWN_LIMIT } from "../src/scenes/worlds/limit.js";
import { KEPT_REPORTS, withReport } from "../src/scenes/worlds/report-history.js";
import { recentFigures } from "../src/scenes/cars/recent-figures.js";

/** A side that came in time for a share of what was due. */
function load(callers: number, inTime: number, carries = callers) {
  return { callers, inTime, carries };
}

describe("the limit of a side", () => {
  it("is at least the number of callers whose answers all come in time", () => {
    const limit = learnLimit(UNKNOWN_LIMIT, load(64, 1));
    expect(limit).toEqual({ holds: 64, breaksAt: null });
    expect(learnLimit(limit, load(32, 0.99))).toEqual(limit);
  });

  it("is the number that its speed allows, once a side is late", () => {
    expect(learnLimit({ holds: 32, breaksAt: null }, load(256, 0.25, 64))).toEqual({ holds: 32, breaksAt: 64 });
  });

  it("follows what was seen last, if two reports contradict each other", () => {
    const broken = learnLimit(UNKNOWN_LIMIT, load(256, 0.25, 64));
    expect(learnLimit(broken, load(128, 1))).toEqual({ holds: 128, breaksAt: null });
    const held = learnLimit(UNKNOWN_LIMIT, load(256, 1));
    expect(learnLimit(held, load(256, 0.25, 64))).toEqual({ holds: 0, breaksAt: 64 });
  });

  it("stays as it is between smooth and broken", () => {
    expect(learnLimit(UNKNOWN_LIMIT, load(256, 0.85))).toBe(UNKNOWN_LIMIT);
  });
});

it("the figures are those of the last second, and the crashes per 100 cars those of ten", () => {
  const half = { elapsedMs: 500, cars: 50, frames: 30, answers: 1500, busyMs: 100, crashes: 1 };
  const slow = { ...half, frames: 10, answers: 500 };
  expect(recentFigures([half, half, slow, slow])).toEqual({
    framesPerSecond: 20,
    answersPerSecond: 1000,
    crashesPerMinute: 240,
  });
});

it("a side keeps only the reports that its figures look back on, however long the page is open", () => {
  let history: readonly number[] = [];
  for (let report = 1; report <= 1000; report++) history = withReport(history, report);
  expect(history).toHaveLength(KEPT_REPORTS);
  expect([history[0], history.at(-1)]).toEqual([1001 - KEPT_REPORTS, 1000]);
});
