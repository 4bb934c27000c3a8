import type { ModelOptions } from "framebatch";
import { expectRightAnswers } from "./support/right-answers.js";
import { test } from "./support/test.js";

const MODES: Readonly<Record<string, ModelOptions>> = {
  "released when idle": { batching: { release: "idle" } },
  "released by a window": { batching: { release: "window" } },
  unbatched: { batching: false },
  "padded to 8 or 16 rows": { allowedBatchSizes: [8, 16] },
};

for (const [mode, options] of Object.entries(MODES)) {
  test(`${mode}: answers equal those of ONNX Runtime called directly`, async ({ harness, provider }) => {
    await expectRightAnswers(harness, provider, "mlp-tiny", options);
  });
}
