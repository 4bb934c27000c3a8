import { expect, test } from "vitest";
import { describeComparison, describeRange, findingOf } from "../src/measure/verdict.js";
import { comparisonOf } from "./support/comparisons.js";

const GAP = "\u00A0";

function sentence(...lanes: Parameters<typeof comparisonOf>): string {
  return describeComparison(comparisonOf(...lanes)).replaceAll(GAP, " ");
}

test("a clear gain is reported together with the change of the latency", () => {
  const lanes = [
    { rates: [600, 610, 620], waitMs: 5 },
    { rates: [100, 101, 99], waitMs: 12 },
  ] as const;
  expect(findingOf(comparisonOf(...lanes))).toBe("pays");
  expect(sentence(...lanes)).toBe(
    "On this device batching serves 6.1 times as many predictions, and the median latency falls from 12 ms to 5 ms.",
  );
});

test("a cost in dropped frames is reported", () => {
  expect(
    sentence({ rates: [600, 610, 620], waitMs: 12, droppedFrames: 0.2 }, { rates: [100, 101, 99], waitMs: 12 }),
  ).toContain("It drops 20 % of the frames, compared with 0 % without.");
});

test("the loss of a compute-bound model is explained by the cost of its batches", () => {
  const curve = [
    { size: 1, ms: 2, weight: 5 },
    { size: 16, ms: 31, weight: 5 },
  ];
  const lanes = [
    { rates: [80, 79, 81], waitMs: 20, curve },
    { rates: [100, 101, 99], waitMs: 12 },
  ] as const;
  expect(findingOf(comparisonOf(...lanes))).toBe("loses");
  expect(sentence(...lanes)).toBe(
    "This model is compute-bound here: a batch of 16 takes 16 times as long as one item. It serves 80 % of the predictions of single requests. Turn batching off.",
  );
});

test("a loss that the run times do not explain names no cause", () => {
  expect(sentence({ rates: [80, 79, 81], waitMs: 20 }, { rates: [100, 101, 99], waitMs: 12 })).toMatch(
    /^Batching does not pay off on this device\./,
  );
});

test("equal rates of a compute-bound model give the advice to turn batching off", () => {
  const curve = [
    { size: 1, ms: 2, weight: 5 },
    { size: 8, ms: 16, weight: 5 },
  ];
  const text = sentence({ rates: [101, 100, 99], waitMs: 20, curve }, { rates: [100, 101, 99], waitMs: 20 });
  expect(text).toMatch(
    /compute-bound here: a batch of 8 takes 8 times as long as one item\. Batching does not pay off/,
  );
});

test("equal rates without a known cause are a tie", () => {
  const lanes = [
    { rates: [101, 100, 99], waitMs: 20 },
    { rates: [100, 101, 99], waitMs: 20 },
  ] as const;
  expect(findingOf(comparisonOf(...lanes))).toBe("tie");
  expect(sentence(...lanes)).toMatch(/^Batching changes little here/);
});

test("slices that vary too much give no verdict", () => {
  const lanes = [
    { rates: [300, 50, 200], waitMs: 20 },
    { rates: [100, 100, 100], waitMs: 20 },
  ] as const;
  expect(findingOf(comparisonOf(...lanes))).toBe("unclear");
  expect(sentence(...lanes)).toMatch(/no clear winner/);
});

test("a load that both lanes serve completely gives no winner", () => {
  const lane = { rates: [3800, 3810], waitMs: 5, perFrame: 63 };
  expect(findingOf(comparisonOf(lane, lane, "frame"))).toBe("keeps-up");
});

test("the range contains both ends", () => {
  const range = describeRange(comparisonOf({ rates: [200, 200], waitMs: 1 }, { rates: [100, 100], waitMs: 1 }));
  expect(range.replaceAll(GAP, " ")).toBe("2 to 2 times");
});
