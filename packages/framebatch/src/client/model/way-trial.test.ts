import { describe, expect, it } from "vitest";
import { WayTrial, type WayVerdict } from "./way-trial.js";

const TWO_THREADS = { provider: "wasm", numThreads: 2 } as const;

/** Returns the verdict after these rounds, each with the gain of the other way. */
function verdictOf(gains: readonly number[], trial = new WayTrial(TWO_THREADS)): WayVerdict | null {
  trial.ran(8, 20);
  for (const gain of gains) {
    const verdict = trial.add(gain);
    if (verdict !== null) return verdict;
  }
  return null;
}

const times = (count: number, gain: number) => Array.from({ length: count }, () => gain);

describe("another way to run a model", () => {
  it("wins if even the lower end of its gain exceeds 1.05", () => {
    expect(verdictOf([0.5, 2, 2, 2, 2, 1.6, 1.6, 1.5, 1.25])).toEqual({
      gain: 1.6,
      trial: {
        ...TWO_THREADS,
        chosen: true,
        reason: "1.60 times as fast, at least 1.25 times",
        msPerItem: { 8: 20 / 8 },
        agrees: true,
      },
    });
  });

  it("wins after six rounds if all of them are gains", () => {
    expect(verdictOf(times(5, 1.4))).toBeNull();
    expect(verdictOf([1.2, 1.4, 1.4, 1.4, 1.4, 1.4])).toMatchObject({
      trial: { chosen: true, reason: "1.40 times as fast, at least 1.20 times" },
    });
  });

  it("wins after three more rounds for each that is no gain, as on a busy machine", () => {
    expect(verdictOf([...times(2, 0.2), ...times(9, 2)])).toBeNull();
    expect(verdictOf([...times(2, 0.2), ...times(10, 2)])?.trial).toMatchObject({ chosen: true });
    expect(verdictOf([2, ...times(5, 0.2), ...times(14, 2)])).toBeNull();
    expect(verdictOf([2, ...times(5, 0.2), ...times(15, 2)])).toMatchObject({
      gain: 2,
      trial: { chosen: true, reason: "2.00 times as fast, at least 2.00 times" },
    });
  });

  it("loses with the sixth round that is no gain", () => {
    expect(verdictOf(times(5, 1.04))).toBeNull();
    expect(verdictOf(times(6, 1.04))?.trial).toMatchObject({
      chosen: false,
      agrees: true,
      reason: "1.04 times as fast",
    });
  });

  it("is harmless while half of its rounds are", () => {
    const trial = new WayTrial(TWO_THREADS);
    const harmless = [0.8, 1.2, 1.2, 0.5, 0.9].map((gain) => (trial.add(gain), trial.isHarmless));
    expect(harmless).toEqual([false, true, true, true, false]);
  });

  it("ends a round early that begins plainly slow, or slow like the rounds before", () => {
    const early = (gains: readonly number[]) =>
      [0.7, 0.71, 0.9, 0.92].map((gain) => new WayTrial(TWO_THREADS, gains).expectsLoss(gain));
    expect(early([])).toEqual([true, false, false, false]);
    expect(early([1.2, 1.1])).toEqual([true, false, false, false]);
    expect(early([0.6])).toEqual([true, true, true, false]);
  });

  it("loses after three rounds in which it is slower", () => {
    expect(verdictOf([0.5, 0.6])).toBeNull();
    expect(verdictOf(times(3, 0.99))?.trial).toMatchObject({ chosen: false, reason: "0.99 times as fast" });
    expect(verdictOf(times(3, 1))).toBeNull();
    expect(verdictOf([0.5, 0.6, 0.1])?.trial).toMatchObject({ chosen: false, reason: "0.50 times as fast" });
    expect(verdictOf([0.5, 1.2, 0.1])).toBeNull();
  });

  it("loses if an answer differs", () => {
    expect(new WayTrial(TWO_THREADS).differs("logits").trial).toMatchObject({
      chosen: false,
      agrees: false,
      reason: 'its answers differ in the output "logits"',
    });
  });

  it("goes on with the rounds of earlier visits", () => {
    expect(verdictOf([2], new WayTrial(TWO_THREADS, times(5, 2)))).toMatchObject({ trial: { chosen: true } });
    expect(verdictOf([2], new WayTrial(TWO_THREADS, times(4, 2)))).toBeNull();
  });
});
