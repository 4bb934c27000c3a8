import { describe, expect, it } from "vitest";
import { learnLimit, UNKNOWN_LIMIT } from "../src/scenes/cars/limit.js";
import { recentFigures } from "../src/scenes/cars/recent-figures.js";

const PERIOD_MS = 16;

/** A report over 100 frames of the screen. */
function report(cars: number, frames: number, busyMs: number) {
  return { elapsedMs: 100 * PERIOD_MS, cars, frames, answers: cars * frames, busyMs, crashes: 0 };
}

describe("the limit of a side", () => {
  it("is at least the number of cars whose frames all come in time", () => {
    const limit = learnLimit(UNKNOWN_LIMIT, report(64, 100, 400), PERIOD_MS);
    expect(limit).toEqual({ holds: 64, breaksAt: null });
    expect(learnLimit(limit, report(32, 99, 400), PERIOD_MS)).toEqual(limit);
  });

  it("is the number of cars whose answers fill one frame, once a side misses frames", () => {
    // 25 frames of 64 ms each: four times too long for 256 cars.
    const limit = learnLimit({ holds: 32, breaksAt: null }, report(256, 25, 25 * 64), PERIOD_MS);
    expect(limit).toEqual({ holds: 32, breaksAt: 64 });
  });

  it("follows what was seen last, if two reports contradict each other", () => {
    const broken = learnLimit(UNKNOWN_LIMIT, report(256, 25, 25 * 64), PERIOD_MS);
    expect(learnLimit(broken, report(128, 100, 400), PERIOD_MS)).toEqual({ holds: 128, breaksAt: null });
    const held = learnLimit(UNKNOWN_LIMIT, report(256, 100, 400), PERIOD_MS);
    expect(learnLimit(held, report(256, 25, 25 * 64), PERIOD_MS)).toEqual({ holds: 0, breaksAt: 64 });
  });

  it("stays as it is between smooth and broken", () => {
    expect(learnLimit(UNKNOWN_LIMIT, report(256, 85, 100), PERIOD_MS)).toBe(UNKNOWN_LIMIT);
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
