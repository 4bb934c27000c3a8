import { describe, expect, it } from "vitest";
import { seededRandom, shuffled } from "../src/statistics/random.js";

const draw = (seed: number, count: number): number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
};

describe("seeded random numbers", () => {
  it("repeats for the same seed and differs for another one", () => {
    expect(draw(7, 5)).toEqual(draw(7, 5));
    expect(draw(7, 5)).not.toEqual(draw(8, 5));
  });

  it("is uniform from 0 to 1", () => {
    const values = draw(1, 10_000);
    for (let tenth = 0; tenth < 10; tenth++) {
      const share = values.filter((value) => Math.floor(value * 10) === tenth).length / values.length;
      expect(Math.abs(share - 0.1)).toBeLessThan(0.01);
    }
  });

  it("shuffles into every order and loses no value", () => {
    const random = seededRandom(3);
    const orders = new Set(Array.from({ length: 200 }, () => shuffled(["a", "b", "c"], random).join("")));
    expect([...orders].toSorted()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
  });
});
