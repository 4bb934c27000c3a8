import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseToken, philox, uniformAt } from "./choose-token.js";

const GREEDY = { sample: null, repetitionPenalty: 1 };
const ALL = { temperature: 1, topK: Infinity, topP: 1, seed: 3 };

const scoresOf = fc.array(fc.float({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 40 });

/** The tokens from the likeliest to the least likely. */
function ranked(scores: readonly number[]): number[] {
  return [...scores.keys()].sort((one, other) => scores[other]! - scores[one]! || one - other);
}

function drawn(scores: readonly number[], sample: typeof ALL, count: number): number[] {
  return Array.from({ length: count }, (_, position) =>
    chooseToken(Float32Array.from(scores), { sample, repetitionPenalty: 1 }, [], position)!,
  );
}

describe("chooseToken", () => {
  it("takes the highest score, of equal ones the first, and skips what is no number", () => {
    expect(chooseToken(Float32Array.of(1, 5, 5, 2), GREEDY, [], 0)).toBe(1);
    expect(chooseToken(Float32Array.of(NaN, -3, NaN, -2), GREEDY, [], 0)).toBe(3);
    expect(chooseToken(Float32Array.of(NaN, NaN), GREEDY, [], 0)).toBeNull();
    expect(chooseToken(Float32Array.of(), GREEDY, [], 0)).toBeNull();
  });

  it("draws among the topK likeliest tokens, and never another one", () => {
    fc.assert(
      fc.property(scoresOf, fc.integer({ min: 1, max: 50 }), fc.nat(), (scores, topK, seed) => {
        const allowed = ranked(scores.map(Math.fround)).slice(0, topK);
        for (const token of drawn(scores, { ...ALL, topK, seed }, 20)) expect(allowed).toContain(token);
      }),
    );
  });

  it("draws among the fewest likeliest tokens that have topP", () => {
    fc.assert(
      fc.property(scoresOf, fc.double({ min: 0.01, max: 0.99 }), fc.nat(), (scores, topP, seed) => {
        const own = scores.map(Math.fround);
        const weights = own.map((score) => Math.exp(score - Math.max(...own)));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const allowed: number[] = [];
        let had = 0;
        for (const token of ranked(own)) {
          if (had >= topP * total * (1 + 1e-9)) break;
          allowed.push(token);
          had += weights[token]!;
        }
        for (const token of drawn(scores, { ...ALL, topP, seed }, 20)) expect(allowed).toContain(token);
      }),
    );
  });

  it("draws each token as often as its probability says, sharper at low temperatures", () => {
    const scores = [Math.log(0.5), Math.log(0.3), Math.log(0.2)];
    const shares = (temperature: number) => {
      const tokens = drawn(scores, { ...ALL, temperature }, 20_000);
      return scores.map((_, token) => tokens.filter((each) => each === token).length / tokens.length);
    };
    for (const [token, share] of shares(1).entries()) expect(share).toBeCloseTo([0.5, 0.3, 0.2][token]!, 1.6);
    expect(shares(0.25)[0]).toBeGreaterThan(0.8);
    expect(shares(4)[2]).toBeGreaterThan(0.26);
  });

  it("divides the positive scores of tokens that were there, and multiplies the negative ones, each once", () => {
    const seen = [1, 1, 1, 3, 99];
    expect(chooseToken(Float32Array.of(4, 5, 0, -1), { sample: null, repetitionPenalty: 1.3 }, seen, 0)).toBe(0);
    const scores = Float32Array.of(4, 5, 0, -1);
    chooseToken(scores, { sample: null, repetitionPenalty: 2 }, seen, 0);
    expect([...scores]).toEqual([4, 2.5, 0, -2]);
  });

  it("gives the same token for the same seed and position", () => {
    fc.assert(
      fc.property(scoresOf, fc.maxSafeNat(), fc.nat({ max: 1000 }), (scores, seed, position) => {
        const choose = () =>
          chooseToken(
            Float32Array.from(scores),
            { sample: { ...ALL, topK: 8, topP: 0.9, seed }, repetitionPenalty: 1 },
            [],
            position,
          );
        expect(choose()).toBe(choose());
      }),
    );
  });
});

const hex = (words: readonly number[]) => words.map((word) => word.toString(16).padStart(8, "0")).join(" ");

describe("philox", () => {
  it("gives the known answers of Random123", () => {
    const ones = 0xffffffff;
    expect(hex(philox([0, 0, 0, 0], [0, 0]))).toBe("6627e8d5 e169c58d bc57ac4c 9b00dbd8");
    expect(hex(philox([ones, ones, ones, ones], [ones, ones]))).toBe("408f276d 41c83b0e a20bc7c6 6d5451fd");
    const digits = philox([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]);
    expect(hex(digits)).toBe("d16cfe09 94fdcceb 5001e420 24126ea1");
  });
});

describe("uniformAt", () => {
  it("is in [0, 1), depends on the seed and the position alone, and is evenly spread", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(), (seed, position) => {
        const number = uniformAt(seed, position);
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThan(1);
        expect(uniformAt(seed, position)).toBe(number);
      }),
    );
    const counts = Array.from({ length: 16 }, () => 0);
    for (let position = 0; position < 16_000; position++) counts[Math.floor(uniformAt(7, position) * 16)]! += 1;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it("differs for seeds that differ only above 32 bits", () => {
    expect(uniformAt(1, 5)).not.toBe(uniformAt(1 + 2 ** 32, 5));
  });
});
