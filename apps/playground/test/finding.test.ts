import type { GenerationStats, ModelStats, TensorInfo } from "framebatch";
import { describe, expect, it } from "vitest";
import { describeFinding, headlineOfFinding } from "../src/comparison/describe-finding.js";
import { knownFromLoad, knownFromModel, type Finding } from "../src/comparison/finding.js";
import { statsWith } from "./support/comparisons.js";

const NO_TEXTS: Omit<GenerationStats, "sharing"> = {
  running: 0,
  waiting: 0,
  tokens: 0,
  steps: 0,
  batchSize: 0,
  cacheBytes: 0,
  prefillMs: 0,
  decodeMs: 0,
};

function modelOf(check: ModelStats["batchCheck"], batch: number | null = null, isRebatched = false) {
  const input: TensorInfo = { name: "x", type: "float32", dims: [batch, 4], symbols: [null, null], batchAxis: 0 };
  return { inputs: [input], stats: () => ({ ...statsWith([]), batchCheck: check, isRebatched }) };
}

const check = (outcome: ModelStats["batchCheck"]["outcome"], reason = "") => ({ outcome, reason, fromCache: false });

function say(cannot: ReturnType<typeof knownFromModel>): string {
  if (cannot === null) return "measure";
  const finding: Finding = { kind: "cannot", cannot, snippet: null };
  return `${headlineOfFinding(finding).word}. ${describeFinding(finding)}`;
}

describe("without a measurement, because both ways would run the same single requests", () => {
  it("a lone caller has nobody to batch with, and batches of one are named as the reason for 64 callers", () => {
    expect(say(knownFromLoad({ callers: 1 }, 256))).toContain("Nobody to batch with. A single caller");
    expect(say(knownFromLoad({ callers: 64 }, 1))).toContain("Batches of one. The largest batch is set to 1");
    expect(knownFromLoad({ callers: 2 }, 2)).toBeNull();
  });

  it("a model that mixes items cannot batch, and the node that mixes them is named", () => {
    const mixing = check("failed", 'the model works across the batch: ReduceMean "m"');
    expect(say(knownFromModel(modelOf(mixing)))).toContain('Cannot batch. ReduceMean "m" mixes the items of a batch.');
    const different = check("failed", "3 items answer otherwise in a batch than alone: output differs by 0.2");
    expect(say(knownFromModel(modelOf(different)))).toContain("other answers than its items alone: 3 items answer");
  });

  it("a file that allows one item at a time cannot batch, unless it was rewritten", () => {
    const why = "the model takes one item at a time, and could not be rewritten to take more: it branches";
    expect(say(knownFromModel(modelOf(check("failed", why), 1)))).toContain(`runs one item at a time: ${why}.`);
    expect(say(knownFromModel(modelOf(check("passed"), 1, true)))).toBe("measure");
  });

  it("a model whose check has not ended is not measured against itself", () => {
    expect(say(knownFromModel(modelOf(check("inconclusive", "random numbers are drawn"))))).toContain(
      "Not verified yet",
    );
  });
});

it("a model of texts is measured as soon as it is known that they share steps, whatever the check of items says", () => {
  const modelOfTexts = (sharing: GenerationStats["sharing"]) => {
    const { inputs, stats } = modelOf(check("inconclusive"));
    return { inputs, stats: () => ({ ...stats(), generation: { ...NO_TEXTS, sharing } }) };
  };
  expect(say(knownFromModel(modelOfTexts("left")))).toBe("measure");
  expect(say(knownFromModel(modelOfTexts("alone")))).toContain("Cannot batch");
  expect(say(knownFromModel(modelOfTexts(null)))).toContain("Not verified yet");
});

it("a model that passed, or that was not checked on demand, is measured", () => {
  expect(say(knownFromModel(modelOf(check("passed"))))).toBe("measure");
  expect(say(knownFromModel(modelOf(check("skipped"))))).toBe("measure");
});

it("a slow model is told how long a comparison takes", () => {
  const finding: Finding = { kind: "slow", slowness: { needMs: 45_000, fewerCallers: 8 }, callers: 64 };
  expect(headlineOfFinding(finding).word).toBe("Slow model");
  expect(describeFinding(finding)).toBe("A comparison of 64 callers takes about 45\u00A0s here.");
});
