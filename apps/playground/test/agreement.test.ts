import { expect, it } from "vitest";
import { decide } from "../src/measure/outcome.js";
import {
  agrees,
  hiddenLosses,
  isNearBorder,
  summarise,
  toTable,
  type CheckedVerdict,
  type Judged,
} from "../verdicts/agreement.js";
import { toOutcome } from "../verdicts/bench-outcome.js";
import { comparisonOf, type Lane } from "./support/comparisons.js";

const PLAIN: Lane = { rates: [100, 101, 99] };
const FAST: Lane = { rates: [600, 610, 620] };
const LATE: Lane = { ...FAST, firstsMs: [60, 61, 62] };

function judged(batched: Lane): Judged {
  const comparison = comparisonOf(batched, PLAIN);
  return { gains: comparison.gains, verdict: decide(comparison) };
}

function checked(page: Lane, bench: Lane): CheckedVerdict {
  const model = { name: "digits", path: "/digits.onnx", callers: 16 } as const;
  return { model, page: judged(page), bench: judged(bench), machineLoad: 0.5 };
}

it("agrees if both say the same", () => {
  expect(agrees(checked(FAST, FAST))).toBe(true);
  expect(agrees(checked(FAST, PLAIN))).toBe(false);
  expect(summarise([checked(FAST, FAST), checked(PLAIN, FAST)])).toBe('1 of 2 verdicts agree. No "Yes" hides a loss.');
});

it("is near the border if the answers differ, but the intervals of what was measured overlap", () => {
  const above: Lane = { rates: [109, 113, 112] };
  const below: Lane = { rates: [107, 111, 110] };
  expect([above, below].map((lane) => judged(lane).verdict.answer)).toEqual(["yes", "same"]);
  expect([checked(above, below), checked(FAST, PLAIN), checked(FAST, FAST)].map(isNearBorder)).toEqual([
    true,
    false,
    false,
  ]);
  expect(summarise([checked(FAST, FAST), checked(above, below)])).toContain(
    "1 of 2 verdicts agree, and 1 is near the border of two answers.",
  );
  expect(toTable([checked(above, below)])).toContain("near the border");
});

it("finds a loss that a yes hides, and none that another answer admits", () => {
  expect(hiddenLosses(checked(FAST, LATE))).toEqual(["first"]);
  expect(hiddenLosses(checked(LATE, LATE))).toEqual([]);
  expect(summarise([checked(FAST, LATE)])).toContain('"Yes" hides a loss: digits.');
  expect(toTable([checked(FAST, LATE)])).toContain("hides a loss: first");
});

it("reads the benchmark's ratios as factors by which batching is better", () => {
  const estimate = (low: number, value: number, high: number) => ({ value, interval: { low, high } });
  const cell = { model: "digits", backend: "wasm", site: "isolated", load: "closed-16" } as const;
  const ratio = { ...cell, lane: "frame", adapter: null, over: "off", pages: 1, rounds: 9 };
  const report = (firstAnswer: ReturnType<typeof estimate> | null) => ({
    rows: (["frame", "off"] as const).map((lane) => ({
      ...ROW,
      ...cell,
      lane,
      throughputPerSec: lane === "frame" ? 300 : 100,
      firstAnswerMs: lane === "frame" ? 20 : 5,
    })),
    ratios: [
      { ...ratio, throughput: estimate(2, 3, 4), p50: estimate(0.25, 0.5, 1), p99: estimate(1, 1, 1), firstAnswer },
    ],
  });
  const { gains } = toOutcome(16, report(null), report(estimate(2, 4, 8)));
  expect(gains.throughput).toMatchObject({ batched: { value: 300 }, factor: { low: 2, value: 3, high: 4 } });
  expect(gains.median.factor).toEqual({ low: 1, value: 2, high: 4 });
  expect(gains.first).toMatchObject({ single: { value: 5 }, factor: { low: 1 / 8, value: 1 / 4, high: 1 / 2 } });
});

const ROW = {
  pages: 1,
  adapter: null,
  throughputInterval: { low: 0, high: 0 },
  p50Ms: 1,
  p50Interval: null,
  p95Ms: 1,
  p99Ms: 1,
  maxMs: 1,
  meanMs: 1,
  lastAnswerMs: 1,
  latencyIsLowerBound: false,
  latencyIsCoarse: false,
  framesToPaint: null,
  droppedFramesPerSec: 0,
  longTasksPerSec: 0,
  mainThreadUsPerPrediction: null,
  busyShare: null,
  meanBatchSize: null,
  paddingWaste: null,
  slices: 9,
  samples: 900,
};
