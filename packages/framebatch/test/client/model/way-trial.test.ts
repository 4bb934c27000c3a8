import { describe, expect, it } from "vitest";
import { type Pair, WayTrial, type WayVerdict } from "../../../src/client/model/way-trial.js";

const TWO_THREADS = { provider: "wasm", numThreads: 2 } as const;

function verdictOf(pairs: readonly Partial<Pair>[]): WayVerdict | null {
  const trial = new WayTrial(TWO_THREADS);
  let verdict: WayVerdict | null = null;
  for (const pair of pairs) {
    verdict = trial.add({ rows: 8, ownMs: 10, otherMs: 5, disagreement: null, ...pair }, 15, 0);
    if (verdict !== null) break;
  }
  return verdict;
}

/** The two pairs that do not count, and nine that do. */
const pairs = (otherMs: readonly number[]) => [{}, {}, ...otherMs.map((ms) => ({ otherMs: ms }))];

describe("another way to run a model", () => {
  it("wins if even the lower end of its gain exceeds 1.05", () => {
    expect(verdictOf(pairs([5, 5, 5, 5, 6, 6, 6, 8, 20]))).toEqual({
      gain: 10 / 6,
      trial: {
        ...TWO_THREADS,
        chosen: true,
        reason: "1.67 times as fast, at least 1.25 times",
        msPerItem: { 8: 20 / 8 },
        agrees: true,
      },
    });
  });

  it("wins after 21 pairs if two to five of them are no gain, as on a busy machine", () => {
    const busy = [50, 50, 50, 50, 50];
    expect(verdictOf(pairs([...busy.slice(0, 2), 5, 5, 5, 5, 5, 5, 5]))).toBeNull();
    expect(verdictOf(pairs([...busy, ...Array.from({ length: 16 }, () => 5)]))).toMatchObject({
      gain: 2,
      trial: { chosen: true, reason: "2.00 times as fast, at least 2.00 times" },
    });
  });

  it("loses with the sixth pair that is no gain", () => {
    const misses = [9.6, 9.6, 9.6, 9.6, 9.6];
    expect(verdictOf(pairs(misses))).toBeNull();
    expect(verdictOf(pairs([...misses, 9.6]))?.trial).toMatchObject({
      chosen: false,
      agrees: true,
      reason: "1.04 times as fast",
    });
  });

  it("loses at once if an answer differs, even in a pair that does not count", () => {
    expect(verdictOf([{ disagreement: "logits" }])?.trial).toMatchObject({
      chosen: false,
      agrees: false,
      reason: 'its answers differ in the output "logits"',
    });
  });

  it("is not judged by its first two runs, in which it still compiles", () => {
    const [slow, fast] = [{ otherMs: 900 }, { otherMs: 5 }];
    const verdict = verdictOf([slow, slow, ...Array.from({ length: 9 }, () => fast)]);
    expect(verdict?.trial.reason).toBe("2.00 times as fast, at least 2.00 times");
  });

  it("has no verdict before nine pairs", () => {
    expect(verdictOf(pairs([5, 5, 5, 5, 5, 5, 5, 5]))).toBeNull();
  });

  it("takes a hundredth of the time", () => {
    const trial = new WayTrial(TWO_THREADS);
    expect(trial.isDue(0)).toBe(true);
    trial.add({ rows: 8, ownMs: 10, otherMs: 5, disagreement: null }, 15, 100);
    expect([trial.isDue(1599), trial.isDue(1600)]).toEqual([false, true]);
  });
});
