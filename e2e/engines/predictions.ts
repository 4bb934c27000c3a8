import type { ModelOptions } from "framebatch";
import { Comparison } from "../fixtures/comparison.js";
import type { ModelName } from "../fixtures/items.js";
import { SCENARIOS, type ScenarioName } from "../fixtures/scenarios.js";
import { expectEqual, expectTrue, type Promises } from "./promise.js";

const TOLERANCE = 1e-4;
const COUNT = 24;

const MODELS: readonly { name: ModelName; url: string; options?: ModelOptions }[] = [
  { name: "mlp-tiny", url: "/models/mlp-tiny.onnx" },
  { name: "digits", url: "/models/digits/digits.onnx" },
  { name: "variable-length", url: "/models/variable-length.onnx" },
  { name: "text-encoder", url: "/models/text-encoder.onnx", options: { padding: { ids: { mask: "mask" } } } },
];

/**
 * Calls each model in every way. The expected answers are those of ONNX Runtime called directly, one item at a time.
 */
export const predictions: Promises = Object.fromEntries(
  MODELS.map(({ name, url, options = {} }) => [
    `${name}: answers equal those of ONNX Runtime called directly, in every scenario`,
    async () => {
      const comparison = await Comparison.open({ model: name, url, provider: "wasm", count: COUNT, options });
      for (const scenario of scenarioNames()) await expectRight(comparison, scenario);
      await comparison.close();
    },
  ]),
);

async function expectRight(comparison: Comparison, scenario: ScenarioName): Promise<void> {
  // Answers must differ from one another: otherwise the test could not detect a row that went to the wrong caller.
  expectTrue(comparison.apart() > 10 * TOLERANCE, "answers that differ from one another");
  const { worst, answered, aborted, stats } = await comparison.ask(scenario);
  expectTrue(worst <= TOLERANCE, `${scenario}: a difference of at most ${TOLERANCE}, got ${worst}`);
  expectEqual(answered + aborted, COUNT, "answered or aborted");
  const { completed, failed, queued, inFlight } = stats.requests;
  expectEqual([completed, failed, queued, inFlight], [answered, 0, 0, 0], "completed, failed, queued, in flight");
}

function scenarioNames(): ScenarioName[] {
  const isName = (name: string): name is ScenarioName => name in SCENARIOS;
  return Object.keys(SCENARIOS).filter(isName);
}
