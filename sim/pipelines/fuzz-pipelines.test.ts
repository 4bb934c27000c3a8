import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Random } from "../batcher/model/random.js";
import { fuzzPipelines } from "./fuzz-pipelines.js";
import { runPipelineScenario, runPipelineSeed } from "./run-pipelines.js";
import { drawPipelineScenario } from "./scenario.js";

const SEEDS = process.env["FRAMEBATCH_ALL"] === undefined ? 40 : 1000;

/** A random stream of the given numbers, and then of zeros, which draw the simplest values. */
function randomOf(thousandths: readonly number[]): Random {
  let place = 0;
  return () => (thousandths[place++] ?? 0) / 1000;
}

/** Any scenario. Fewer and smaller numbers give a simpler one, so fast-check shrinks to a minimal counterexample. */
const anyScenario = fc.array(fc.nat(999), { maxLength: 150 }).map((numbers) => drawPipelineScenario(randomOf(numbers)));

describe("pipelines of any shape, under random load and faults", () => {
  it(`keep every invariant in ${SEEDS} random scenarios`, async () => {
    const { failure, parts } = await fuzzPipelines(1, SEEDS);
    expect(failure).toBeNull();
    expect(parts).toBeGreaterThan(10 * SEEDS);
  });

  it("keep every invariant in scenarios that once broke one", async () => {
    // A run that ended cancelled its parts one after the other, and each let its split start the next part.
    await runPipelineSeed(3937);
  });

  it("repeat the same run for the same seed", async () => {
    for (let seed = 1; seed <= 30; seed++) expect(await runPipelineSeed(seed)).toEqual(await runPipelineSeed(seed));
  });

  it("keep every invariant in scenarios that fast-check can shrink to a minimal counterexample", async () => {
    const property = fc.asyncProperty(anyScenario, fc.integer({ min: 1, max: 1000 }), async (scenario, seed) => {
      await runPipelineScenario(scenario, seed);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
