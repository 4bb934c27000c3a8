import { describe, expect, it } from "vitest";
import { LEAK_LIMITS, leakSigns, lowestOf, slopeOf, type Checkpoint } from "../kit/leak-trend.js";
import { Random } from "../kit/random.js";

const REQUESTS = 10_000_000;
const CHECKPOINTS = 19;
/** The variation of the memory of a page without open requests. */
const NOISE_BYTES = 100_000;

/** Returns the checkpoints of a run that leaks `bytesPerRequest`. */
function run(bytesPerRequest: number, objects = { Promise: 2 }): Checkpoint[] {
  const random = new Random(7);
  return Array.from({ length: CHECKPOINTS }, (_, index) => {
    const requests = (REQUESTS * (index + 2)) / 20;
    const bytes = 8_000_000 + random.between(0, NOISE_BYTES) + requests * bytesPerRequest;
    return { requests, bytes, objects };
  });
}

describe("the leak trend", () => {
  it("is the slope of bytes over requests", () => {
    const line = [0, 1, 2].map((step) => ({ requests: step * 100, bytes: 50 + step * 7, objects: {} }));
    expect(slopeOf(line)).toBeCloseTo(0.07);
  });

  it("reports no leak for noise", () => {
    expect(leakSigns(run(0), LEAK_LIMITS)).toEqual([]);
  });

  it("detects a leak of one object of 16 bytes in a hundred requests", () => {
    expect(leakSigns(run(16 / 100), LEAK_LIMITS)).toEqual([
      expect.stringMatching(/0\.05 B kept per request, got 0\.1\d+ B/),
      expect.stringMatching(/at most 262144 B, got/),
    ]);
  });

  it("detects objects that accumulate in a counted class", () => {
    const checkpoints = run(0);
    const last = { ...checkpoints[CHECKPOINTS - 1], objects: { Promise: 5 } };
    expect(
      leakSigns([...checkpoints.slice(0, -1), { requests: REQUESTS, bytes: 8_000_000, ...last }], LEAK_LIMITS),
    ).toEqual(["expected at most 2 objects of Promise, as in the first half of the run, got 5"]);
  });

  it("is that of the lowest of each few in a row, where readings hold what is not swept yet", () => {
    const unswept = [0, 440, 3, 430, 1, 0, 2, 300, 450].map((excess, index) => ({
      requests: index * 20_000,
      bytes: 9_000_000 + excess * 1000,
      objects: {},
    }));
    const limits = { bytesPerRequest: 1, growthBytes: 2 ** 18 };
    expect(leakSigns(unswept, limits)).not.toEqual([]);
    expect(leakSigns(lowestOf(unswept, 3), limits)).toEqual([]);
    const leaking = unswept.map((one) => ({ ...one, bytes: one.bytes + 12 * one.requests }));
    expect(leakSigns(lowestOf(leaking, 3), limits)).toHaveLength(2);
  });

  it("rejects fewer than three checkpoints", () => {
    expect(leakSigns(run(0).slice(0, 2), LEAK_LIMITS)).toEqual([expect.stringContaining("at least 3 checkpoints")]);
  });
});
