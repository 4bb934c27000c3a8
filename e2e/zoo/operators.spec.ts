import { operatorModels } from "@framebatch/models/operators";
import type { Disagreement } from "../fixtures/operators.js";
import { expect, LONG, test } from "../support/test.js";

/**
 * What disagrees in onnxruntime-web 1.30.0 on a GPU in software. A change means that something must be looked at: how
 * framebatch finds each, and what its documentation says.
 */
const KNOWN: Readonly<Record<string, readonly Disagreement[]>> = {};

test("of models of one operator, those disagree that are known to", { tag: LONG }, async ({ harness }) => {
  const found: Record<string, readonly Disagreement[]> = {};
  const models = operatorModels();
  expect(models.length).toBeGreaterThan(150);
  for (const { name, bytes, dims } of models) {
    const asked = { model: [...bytes], dims };
    const disagreeing = await harness.evaluate((sent) => window.harness.disagreements(sent), asked);
    if (disagreeing.length > 0) found[name] = disagreeing;
  }
  expect(found).toEqual(KNOWN);
});
