import type { ModelOptions } from "framebatch";
import { expectRightAnswers } from "../support/right-answers.js";
import { LONG, test } from "../support/test.js";

const MODES: Readonly<Record<string, ModelOptions>> = {
  "released when idle": { batching: { release: "idle" } },
  "released by a window": { batching: { release: "window" } },
  unbatched: { batching: false },
  "padded to 8 or 16 rows": { allowedBatchSizes: [8, 16] },
};

// Tagged @long: the simulation of the whole system does this in every mode.
test(
  "in every release mode, answers equal those of ONNX Runtime called directly",
  { tag: LONG },
  async ({ harness, provider }) => {
    for (const [mode, options] of Object.entries(MODES)) {
      await test.step(mode, () => expectRightAnswers(harness, provider, "mlp-tiny", options));
    }
  },
);
