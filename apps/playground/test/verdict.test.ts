import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide } from "../src/measure/outcome.js";
import {
  describeEffect,
  describeOutcome,
  formatFactor,
  formatRange,
  headlineOf,
  headlineText,
} from "../src/measure/verdict.js";
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
    { ...PLAIN, mediansMs: [25, 25, 25] },
  ] as const;

  it("is a clear gain of throughput without a loss, with its factor and interval", () => {
    expect(headline(...lanes)).toBe("Yes 6.1× (5.8–6.5)");
    expect(sentence(...lanes)).toBe(
      "Batching serves 6.1 times as many predictions. The median latency falls from 25 ms to 5 ms.",
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
    const worse = { rates: [80, 79, 81], mediansMs: [40, 40, 40], p99sMs: [60, 60, 60], firstsMs: [50, 50, 50] };
    expect(sentence(worse, PLAIN)).toContain(
      "The median latency rises from 20 ms to 40 ms, the 99th percentile from 20 ms to 60 ms, and the first answer of a burst from 20 ms to 50 ms.",
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
    { ...PLAIN, mediansMs: [25, 25, 25] },
  ] as const;
  const later = (ms: number): [Lane, Lane] => [
    { ...gain[0], firstsMs: [ms, ms, ms] },
    { ...gain[1], firstsMs: [9, 9, 9] },
  ];

  it("makes a gain a trade-off, however large the gain is", () => {
    expect(answerOf(...later(40))).toBe("depends");
    expect(sentence(...later(40))).toBe(
      "Batching serves 6.1 times as many predictions. The median latency falls from 25 ms to 5 ms, but the first answer of a burst rises from 9 ms to 40 ms. Batch if that is worth it to you.",
    );
  });

  it("does not count under one frame, whose answers are painted together", () => {
    expect(answerOf({ ...FAST, firstsMs: [6.6, 6.6, 6.6] }, { ...PLAIN, firstsMs: [1.7, 1.7, 1.7] })).toBe("yes");
    expect(answerOf(...later(25))).toBe("yes");
    expect(answerOf(...later(27))).toBe("depends");
  });
});

describe("no difference", () => {
  it("is equal throughput and latency, and turns batching off in words and code", () => {
    const same = comparisonOf({ rates: [101, 100, 99] }, PLAIN);
    expect(decide(same)).toMatchObject({ answer: "same", batching: false });
    expect(headlineText(headlineOf(same, decide(same)))).toBe("No: at most 1.03×");
    expect(sentence({ rates: [101, 100, 99] }, PLAIN)).toBe(
      "Both ways serve about 100 predictions a second. Answers take as long as before, 20 ms at the median. Turn batching off.",
    );
  });

  it("asks for more load if both lanes keep up", () => {
    expect(sentence(PLAIN, PLAIN, { pace: "frame", keepsUp: true })).toMatch(/Both ways keep up.*Add callers/);
  });
});

describe("no, at most by a factor", () => {
  it("is the answer where the top of the interval is low, however much the slices vary below it", () => {
    const batched = { rates: [100, 80, 95] };
    expect(answerOf(batched, PLAIN)).toBe("same");
    expect(headline(batched, PLAIN)).toMatch(/^No: at most 1\.\d+×$/);
  });

  it("is the answer where only a cut-off median is open", () => {
    const batched: Lane = { ...PLAIN, mediansMs: [3000, 1200, 2900], isCutOff: true };
    const single: Lane = { ...PLAIN, mediansMs: [2900, 2800, 1300], isCutOff: true };
    expect(answerOf(batched, single)).toBe("same");
  });

  it("is the answer where both ways ran single requests, whatever the slices say", () => {
    expect(answerOf(FAST, PLAIN, { batchSize: 1 })).toBe("same");
    expect(headline(FAST, PLAIN, { batchSize: 1 })).toBe("No");
    expect(sentence(FAST, PLAIN, { batchSize: 1 })).toContain("framebatch sends single requests here too");
    expect(sentence(FAST, PLAIN, { batchSize: 1, keepsUp: true })).toContain("Hardly any requests meet");
  });

  it("does not count a gain of less than half a millisecond for a round of all callers", () => {
    const lanes = [{ rates: [13_000, 13_100, 12_900] }, { rates: [10_000, 10_100, 9900] }] as const;
    expect(answerOf(...lanes, { callers: 16 })).toBe("same");
    expect(headline(...lanes, { callers: 16 })).toBe("No");
    expect(sentence(...lanes, { callers: 16 })).toContain("A round of all callers takes 1.23 ms instead of 1.6 ms");
    expect(answerOf(...lanes, { callers: 256 })).toBe("yes");
  });
});

describe("unclear", () => {
  it("are slices that vary too much: the interval instead of a factor, and no decision", () => {
    expect(headline(WILD, PLAIN)).toMatch(/^Unclear: 0\.\d+–\d+×$/);
    const comparison = comparisonOf(WILD, PLAIN);
    expect(decide(comparison).batching).toBeNull();
    expect(describeEffect("throughput", comparison.gains.throughput, "unclear")).toMatch(/^unclear: 0\.\d+–\d+×$/);
  });

  it("is a gain with a first answer that is probably later", () => {
    expect(answerOf({ ...FAST, firstsMs: [10, 190, 140] }, { ...PLAIN, firstsMs: [20, 20, 20] })).toBe("unclear");
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

  it("does not count less than a frame, even if the slices vary, unless two are possible", () => {
    const effectOf = (batched: number[], single: number[]) =>
      decide(comparisonOf({ ...FAST, firstsMs: batched }, { ...PLAIN, firstsMs: single })).effects.first;
    expect(effectOf([4, 5, 8], [3, 2, 3])).toBe("same");
    expect(effectOf([29, 30, 31], [3, 3, 3])).toBe("worse");
    expect(effectOf([4, 5, 290], [3, 2, 30])).not.toBe("same");
  });

  it("says if latencies differ, but by too little to notice", () => {
    const { gains } = comparisonOf({ ...PLAIN, firstsMs: [3, 3, 3] }, { ...PLAIN, firstsMs: [1, 1, 1] });
    expect(describeEffect("first", gains.first, "same")).toBe("too short to notice");
  });
});

describe("the sentence about the median", () => {
  it("says that it is as before only where the figures beside it are", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 8, noNaN: true }),
        fc.double({ min: 0.05, max: 8, noNaN: true }),
        (on, off) => {
          const lanes = [
            { ...FAST, mediansMs: [on, on, on] },
            { ...PLAIN, mediansMs: [off, off, off] },
          ] as const;
          const { gains } = comparisonOf(...lanes);
          const effect = describeEffect("median", gains.median, "same");
          const words = sentence(...lanes);
          expect(words.includes("as long as before")).toBe(effect === "no difference");
          expect(words.includes("which nobody feels")).toBe(effect === "too short to notice");
        },
      ),
    );
  });
});

describe("a factor", () => {
  it("has a third digit near 1, so that an interval that excludes 1 shows it", () => {
    expect(formatRange({ value: 1.6, low: 1.04, high: 2.34 })).toBe("1.04–2.3");
    expect(formatFactor(0.984)).toBe("0.984×");
    expect(formatFactor(3.46)).toBe("3.5×");
  });

  it("is the same number in the headline and in the sentence", () => {
    fc.assert(
      fc.property(fc.double({ min: 1.15, max: 900, noNaN: true }), (ratio) => {
        const lanes = [{ rates: [10 * ratio, 10 * ratio, 10 * ratio] }, { rates: [10, 10, 10] }] as const;
        const [, shown] = /^Yes (\S+)× /.exec(headline(...lanes)) ?? [];
        expect(sentence(...lanes)).toContain(`serves ${shown} times as many`);
      }),
    );
  });
});
