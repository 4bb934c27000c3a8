import { describe, expect, it } from "vitest";
import { isTooCoarse, timerResolution } from "../src/statistics/timer-resolution.js";

/** A clock that advances after every fourth read. */
function steppingClock(stepMs: number): () => number {
  let reads = 0;
  return () => Math.floor(reads++ / 4) * stepMs;
}

describe("timer resolution", () => {
  it("is the smallest step of the clock", () => {
    expect(timerResolution(steppingClock(0.1))).toBeCloseTo(0.1);
  });

  it("is not affected by a pause", () => {
    const steady = steppingClock(0.005);
    let pauseMs = 0;
    const clock = (): number => {
      const nowMs = steady() + pauseMs;
      if (nowMs > 0.05 && pauseMs === 0) pauseMs = 40;
      return nowMs;
    };
    expect(timerResolution(clock)).toBeCloseTo(0.005);
  });

  it("trusts durations of ten steps and more", () => {
    expect(isTooCoarse(0.99, 0.1)).toBe(true);
    expect(isTooCoarse(1, 0.1)).toBe(false);
  });
});
