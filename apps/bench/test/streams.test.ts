import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agree } from "../runner/groups/agree.js";
import { askLive } from "../src/streams/live.js";
import { aMinute, fakeTime } from "./support/fake-time.js";
import { everyTenth } from "./support/open-slice.js";

beforeEach(fakeTime);
afterEach(() => void vi.useRealTimers());

/** Asks for steps of 5 ms for 320 ms. */
async function live(streams: number, tick = everyTenth): Promise<readonly number[]> {
  const latencies = askLive(
    () => new Promise((resolve) => setTimeout(resolve, 5)),
    { streams, ms: 320, seed: 1 },
    tick,
  );
  await aMinute();
  return latencies;
}

describe("live streams", () => {
  it("ask for a step every 32 ms each, with latencies from the time at which it was due", async () => {
    const latencies = await live(3);
    expect(latencies).toHaveLength(30);
    expect(Math.min(...latencies)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...latencies)).toBeLessThanOrEqual(15);
  });

  it("count the steps that a busy page asks for late", async () => {
    const everyHundredth = (callback: () => void) => {
      const timer = setInterval(callback, 100);
      return () => clearInterval(timer);
    };
    const latencies = await live(3, everyHundredth);
    expect(latencies).toHaveLength(30);
    expect(Math.max(...latencies)).toBeGreaterThan(80);
  });
});

describe("the scores of lanes", () => {
  it("agree within a thousandth, and not if one is no number", () => {
    expect(agree([1000, 1000.9])).toBe(true);
    expect(agree([1000, 1002])).toBe(false);
    expect(agree([1000, Number.NaN])).toBe(false);
  });
});
