import { expect, test } from "vitest";
import { describeComparison, describeRange, findingOf } from "../src/measure/verdict.js";
import { comparisonOf } from "./support/comparisons.js";

const GAP = "\u00A0";

function sentence(...lanes: Parameters<typeof comparisonOf>): string {
  return describeComparison(comparisonOf(...lanes)).replaceAll(GAP, " ");
}

test("batching that serves several times as many is said to pay, with what becomes of the wait", () => {
  const lanes = [
    { rates: [600, 610, 620], waitMs: 5 },
    { rates: [100, 101, 99], waitMs: 12 },
  ] as const;
  expect(findingOf(comparisonOf(...lanes))).toBe("pays");
  expect(sentence(...lanes)).toBe(
    "On this device batching serves 6.1 times as many predictions, and the median wait falls from 12 ms to 5 ms.",
  );
});

test("a price in dropped frames is told", () => {
  expect(
    sentence({ rates: [600, 610, 620], waitMs: 12, droppedFrames: 0.2 }, { rates: [100, 101, 99], waitMs: 12 }),
  ).toContain("It drops 20 % of the frames, against 0 % without.");
});

test("a loss of a compute-bound model is explained by what its batches cost", () => {
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
    "This model is compute-bound here: a batch of 16 takes 16 times as long as one item. It serves 80 % of the predictions that single requests reach. Keep size 1.",
  );
});

test("a loss without a reason in the run times blames nothing", () => {
  expect(sentence({ rates: [80, 79, 81], waitMs: 20 }, { rates: [100, 101, 99], waitMs: 12 })).toMatch(
    /^Batching does not pay on this device\./,
  );
});

test("equal rates of a compute-bound model are no reason to batch", () => {
  const curve = [
    { size: 1, ms: 2, weight: 5 },
    { size: 8, ms: 16, weight: 5 },
  ];
  const text = sentence({ rates: [101, 100, 99], waitMs: 20, curve }, { rates: [100, 101, 99], waitMs: 20 });
  expect(text).toMatch(/compute-bound here: a batch of 8 takes 8 times as long as one item\. Batching does not pay/);
});

test("equal rates with no reason known are a tie", () => {
  const lanes = [
    { rates: [101, 100, 99], waitMs: 20 },
    { rates: [100, 101, 99], waitMs: 20 },
  ] as const;
  expect(findingOf(comparisonOf(...lanes))).toBe("tie");
  expect(sentence(...lanes)).toMatch(/^Batching changes little here/);
});

test("slices that disagree by more than they differ allow no verdict", () => {
  const lanes = [
    { rates: [300, 50, 200], waitMs: 20 },
    { rates: [100, 100, 100], waitMs: 20 },
  ] as const;
  expect(findingOf(comparisonOf(...lanes))).toBe("unclear");
  expect(sentence(...lanes)).toMatch(/no clear winner/);
});

test("a load that both lanes serve in full is called too light to tell", () => {
  const lane = { rates: [3800, 3810], waitMs: 5, perFrame: 63 };
  expect(findingOf(comparisonOf(lane, lane, "frame"))).toBe("keeps-up");
});

test("the range names both ends", () => {
  const range = describeRange(comparisonOf({ rates: [200, 200], waitMs: 1 }, { rates: [100, 100], waitMs: 1 }));
  expect(range.replaceAll(GAP, " ")).toBe("2 to 2 times");
});
