import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzz } from "./fuzz.js";
import { runScenario, runSeed } from "./run-seed.js";
import { scenarioArbitrary } from "./scenario-arbitrary.js";

const isComplete = process.env["FRAMEBATCH_ALL"] !== undefined;
const SEEDS = isComplete ? 3000 : 100;

/** Seeds that have broken an invariant, and how. */
const FOUND = [
  {
    seed: 509_240,
    broke: "requests that a paused batcher had queued were dispatched without ageing, as it did not batch",
  },
];

describe("the batcher under random load, faults and page events", () => {
  it(`keeps every invariant in ${SEEDS} random scenarios`, () => {
    const { counterexamples } = fuzz(1, SEEDS);
    expect(counterexamples.map(({ seed, violation }) => `seed ${seed}: ${violation.message}`)).toEqual([]);
  });

  for (const { seed, broke } of FOUND) {
    it(`keeps every invariant in seed ${seed}, which once broke one: ${broke}`, () => {
      expect(() => runSeed(seed)).not.toThrow();
    });
  }

  it("repeats the same run for the same seed", () => {
    for (let seed = 1; seed <= (isComplete ? 100 : 25); seed++) expect(runSeed(seed)).toEqual(runSeed(seed));
  });

  it("keeps every invariant in scenarios that fast-check can shrink to a minimal counterexample", () => {
    fc.assert(
      fc.property(scenarioArbitrary(), fc.integer({ min: 1, max: 1000 }), (scenario, seed) => {
        runScenario(scenario, seed);
      }),
      { numRuns: isComplete ? 500 : 150 },
    );
  });
});
