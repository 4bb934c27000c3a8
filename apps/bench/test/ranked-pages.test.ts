import { expect, it } from "vitest";
import { drawnAgain } from "../src/statistics/bootstrap.js";
import { quantileOf } from "../src/statistics/quantile.js";
import { seededRandom } from "../src/statistics/random.js";
import { RankedPages } from "../src/statistics/ranked-pages.js";

it("a quantile of drawn places is that of the drawn values, also with equal values and values that are none", () => {
  const random = seededRandom(3);
  for (let trial = 0; trial < 200; trial++) {
    const pages = [7, 1, 3].map((length) =>
      Array.from({ length }, () => (random() < 0.05 ? Number.NaN : Math.floor(6 * random()) - 2)),
    );
    const ranked = new RankedPages(pages);
    const [seed, share] = [trial, random()];
    const draw = (from: readonly (readonly number[])[]) => {
      const again = seededRandom(seed);
      return drawnAgain(from, again).map((page) => drawnAgain(page, again));
    };
    expect(ranked.quantileOf(draw(ranked.places), share)).toBe(quantileOf(draw(pages).flat(), share));
  }
});

it("a quantile of nothing is none", () => {
  expect(new RankedPages([]).quantileOf([], 0.5)).toBeNaN();
});
