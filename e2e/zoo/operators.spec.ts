import { operatorModels } from "@framebatch/models/operators";
import type { Disagreement } from "../fixtures/operators.js";
import { expect, LONG, test } from "../support/test.js";

const APART: readonly Disagreement[] = ["webgpu and wasm"];

/**
 * What disagrees in onnxruntime-web 1.30.0 on a GPU in software. A change means that something must be looked at: how
 * framebatch finds each, and what its documentation says.
 */
const KNOWN: Readonly<Record<string, readonly Disagreement[]>> = {
  ...named(["Add-size", "DynamicQuantizeLinear"], ["wasm: batch", "webgpu: batch"]),
  // Numbers where WASM has NaN.
  ...named(["Acosh", "Atanh", "IsNaN", "Log", "Pow", "Pow-0.5", "ReduceLogSum", "ReduceLogSum-last"], APART),
  ...named(["Relu-of-Log", "Relu-of-Sqrt"], APART),
  // Every row is wrong from 32 tokens on.
  ...named(["com.microsoft.MultiHeadAttention-33", "com.microsoft.MultiHeadAttention-64"], APART),
};

const PROVIDERS = ["webgpu", "wasm"] as const;
const OPENINGS = ["alone", "in a group"] as const;

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

for (const opening of OPENINGS) {
  test(
    `what disagrees among them is found by a model that is opened ${opening}`,
    { tag: LONG },
    async ({ harness }) => {
      for (const { name, bytes, dims } of operatorModels().filter((model) => Object.hasOwn(KNOWN, model.name))) {
        await test.step(name, async () => {
          const asked = { model: [...bytes], dims, isGrouped: opening === "in a group", executionProviders: PROVIDERS };
          const model = await harness.evaluateHandle((sent) => window.harness.openOperator(sent), asked);
          const said = () =>
            model.evaluate(({ opened }) => [opened.stats().batchCheck.outcome, opened.executionProvider]);
          const [outcome, provider] =
            KNOWN[name] === APART ? [expect.any(String), "wasm"] : ["failed", expect.any(String)];
          await expect.poll(said, name).toEqual([outcome, provider]);
          await model.evaluate((it) => it.close());
        });
      }
    },
  );
}

function named(names: readonly string[], found: readonly Disagreement[]): Record<string, readonly Disagreement[]> {
  return Object.fromEntries(names.map((name) => [name, found]));
}
