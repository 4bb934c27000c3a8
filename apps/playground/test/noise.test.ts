import { expect, test } from "vitest";
import type { RateFigures } from "../src/measure/gain.js";
import { describeNoise, noiseOf } from "../src/measure/noise.js";

const QUANTILE = { ms: 1, isAtLeast: false };

function slices(...rates: number[]): RateFigures[] {
  return rates.flatMap((throughput) =>
    (["single", "batched"] as const).map((lane) => ({
      lane,
      throughput: lane === "single" ? throughput : 1,
      median: QUANTILE,
      p99: QUANTILE,
    })),
  );
}

test("the noise is by how much the slices without batching differ, one after the other", () => {
  expect(noiseOf(slices(100, 110, 100))).toBe(0.1);
  expect(noiseOf(slices(100, 100, 100))).toBe(0);
  expect(noiseOf(slices(100))).toBeNull();
  expect(noiseOf(slices(0, 0, 100))).toBeNull();
});

test("it is described with a sign, and not at all if unknown", () => {
  expect(describeNoise(0.083)).toBe("Noise here: ±8.3\u00A0%, off against off.");
  expect(describeNoise(null)).toBe("");
});
