import { describe, expect, it } from "vitest";
import { decide } from "../src/measure/outcome.js";
import { describeEffect, describeOutcome, headlineOf } from "../src/measure/verdict.js";
import { headlineText } from "../src/comparison/measured.js";
import { comparisonOf, type Circumstances, type Lane } from "./support/comparisons.js";

const GAP = "\u00A0";
const PLAIN: Lane = { rates: [100, 101, 99] };
const FAST: Lane = { rates: [600, 610, 620] };
const WILD: Lane = { rates: [300, 50, 200] };

function answerOf(batched: Lane, single: Lane, circumstances: Circumstances = {}): string {
  return decide(comparisonOf(batched, single, circumstances)).answer;
}

function sentence(batched: Lane, single: Lane, circumstances: Circumstances = {}): string {
  return describeOutcome(comparisonOf(batched, single, circumstances)).replaceAll(GAP, " ");
}

function headline(batched: Lane, single: Lane, circumstances: Circumstances = {}): string {
  const comparison = comparisonOf(batched, single, circumstances);
  return headlineText(headlineOf(comparison, decide(comparison)));
}

describe("yes", () => {
  const lanes = [
    { ...FAST, mediansMs: [5, 5, 5] },
    { ...PLAIN, mediansMs: [12, 12, 12] },
  ] as const;

  it("is a clear gain of throughput without a loss, with its factor and interval", () => {
    expect(headline(...lanes)).toBe("Yes 6.1× (5.8–6.5)");
    expect(sentence(...lanes)).toBe(
      "Batching serves 6.1 times as many predictions. The median latency falls from 12 ms to 5 ms.",
    );
  });

  it("is a clearly shorter median latency at the same throughput", () => {
    expect(headline({ ...PLAIN, mediansMs: [20, 21, 20] }, { ...PLAIN, mediansMs: [60, 61, 62] })).toMatch(/^Yes 3×/);
  });

  it("turns batching on", () => {
    expect(decide(comparisonOf(...lanes)).batching).toBe(true);
  });
});

describe("no", () => {
  it("is a loss of throughput", () => {
    expect(answerOf({ rates: [80, 79, 81] }, PLAIN)).toBe("no");
    expect(sentence({ rates: [80, 79, 81] }, PLAIN)).toContain("serves 80 % of the predictions");
  });

  it.each(["mediansMs", "p99sMs", "firstsMs"] as const)("is a loss in %s at the same throughput", (latency) => {
    const lanes = [
      { ...PLAIN, [latency]: [40, 40, 40] },
      { ...PLAIN, [latency]: [20, 20, 20] },
    ] as const;
    expect(answerOf(...lanes)).toBe("no");
    expect(sentence(...lanes)).toContain("rises from 20 ms to 40 ms");
  });

  it("names everything that rises in one list", () => {
    const worse = { rates: [80, 79, 81], mediansMs: [40, 40, 40], p99sMs: [60, 60, 60], firstsMs: [30, 30, 30] };
    expect(sentence(worse, PLAIN)).toContain(
      "The median latency rises from 20 ms to 40 ms, the 99th percentile from 20 ms to 60 ms, and the first answer of a burst from 20 ms to 30 ms.",
    );
  });

  it("is explained by the cost of batches, if that shows it", () => {
    const cost = { size: 16, times: 15.5 };
    expect(sentence({ rates: [80, 79, 81] }, PLAIN, { cost })).toMatch(
      /compute-bound here: a batch of 16 takes 16 times as long as one item\. Turn batching off\.$/,
    );
    expect(sentence({ rates: [80, 79, 81] }, PLAIN)).not.toContain("compute-bound");
  });
});

describe("a later first answer", () => {
  const gain = [
    { ...FAST, mediansMs: [5, 5, 5] },
    { ...PLAIN, mediansMs: [12, 12, 12] },
  ] as const;
  const later = (ms: number): [Lane, Lane] => [
    { ...gain[0], firstsMs: [ms, ms, ms] },
    { ...gain[1], firstsMs: [9, 9, 9] },
  ];

  it("makes a gain a trade-off, however large the gain is", () => {
    expect(answerOf(...later(20))).toBe("depends");
    expect(sentence(...later(20))).toBe(
      "Batching serves 6.1 times as many predictions. The median latency falls from 12 ms to 5 ms, but the first answer of a burst rises from 9 ms to 20 ms. Batch if that is worth it to you.",
    );
  });

  it("does not count if nobody notices the difference", () => {
    expect(answerOf({ ...FAST, firstsMs: [3, 3, 3] }, { ...PLAIN, firstsMs: [1, 1, 1] })).toBe("yes");
  });
});

describe("no difference", () => {
  it("is equal throughput and latency, and turns batching off in words and code", () => {
    const same = comparisonOf({ rates: [101, 100, 99] }, PLAIN);
    expect(decide(same)).toMatchObject({ answer: "same", batching: false });
    expect(headlineOf(same, decide(same)).word).toBe("No difference");
    expect(sentence({ rates: [101, 100, 99] }, PLAIN)).toBe(
      "Both ways serve about 100 predictions a second. Answers take as long as before, 20 ms at the median. Turn batching off.",
    );
  });

  it("asks for more load if both lanes keep up", () => {
    expect(sentence(PLAIN, PLAIN, { pace: "frame", keepsUp: true })).toMatch(/Both ways keep up.*Add callers/);
  });
});

describe("nobody to batch with", () => {
  it("is the answer for one caller, and for a largest batch of 1, however much the slices vary", () => {
    expect(answerOf(WILD, PLAIN, { callers: 1 })).toBe("alone");
    expect(answerOf(WILD, PLAIN, { maxBatch: 1 })).toBe("alone");
    expect(sentence(WILD, PLAIN, { callers: 1 })).toMatch(/^A single caller waits .* Set more callers\.$/);
    expect(sentence(WILD, PLAIN, { maxBatch: 1 })).toBe("The largest batch is set to 1. Allow larger ones.");
  });

  it("does not hide a loss", () => {
    expect(answerOf({ rates: [50, 51, 50] }, PLAIN, { callers: 1 })).toBe("no");
  });
});

describe("unclear", () => {
  it("are slices that vary too much: no factor, and no decision", () => {
    expect(headline(WILD, PLAIN)).toBe("Unclear");
    expect(decide(comparisonOf(WILD, PLAIN)).batching).toBeNull();
  });

  it("is a gain with a first answer that is probably later", () => {
    expect(answerOf({ ...FAST, firstsMs: [10, 90, 40] }, { ...PLAIN, firstsMs: [20, 20, 20] })).toBe("unclear");
  });

  it("is an advantage over a lane whose latency is only known to be longer than measured", () => {
    const { effects } = decide(
      comparisonOf({ ...PLAIN, p99sMs: [2200, 2200, 2200], isCutOff: true }, { ...PLAIN, p99sMs: [3700, 3700, 3700] }),
    );
    expect(effects.p99).toBe("unclear");
  });
});

describe("the effect on one measure", () => {
  it("names the factor of a change as a number above 1, with its interval", () => {
    const { gains } = comparisonOf({ rates: [50, 52, 51] }, PLAIN);
    expect(describeEffect("throughput", gains.throughput, "worse")).toMatch(/^2× less \(1\.9–2(\.\d)?\)$/);
    expect(describeEffect("median", gains.median, "same")).toBe("no difference");
  });

  it("does not count a few milliseconds, even if the slices vary, unless a frame is possible", () => {
    const effectOf = (batched: number[], single: number[]) =>
      decide(comparisonOf({ ...FAST, firstsMs: batched }, { ...PLAIN, firstsMs: single })).effects.first;
    expect(effectOf([4, 5, 8], [3, 2, 3])).toBe("same");
    expect(effectOf([9, 10, 11], [3, 3, 3])).toBe("worse");
    expect(effectOf([4, 5, 90], [3, 2, 30])).not.toBe("same");
  });

  it("says if latencies differ, but by too little to notice", () => {
    const { gains } = comparisonOf({ ...PLAIN, firstsMs: [3, 3, 3] }, { ...PLAIN, firstsMs: [1, 1, 1] });
    expect(describeEffect("first", gains.first, "same")).toBe("too short to notice");
  });
});
