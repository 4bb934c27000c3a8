import type { Page } from "@playwright/test";
import type { ExecutionProvider } from "framebatch";

interface Request {
  readonly url: string;
  readonly provider: ExecutionProvider;
  readonly loads: number;
  readonly verify: true | { readonly budgetMs: number };
}

/** The loudness of each stream: a quiet one beside loud ones. */
const STREAMS = [0.001, 1, 300, 20];
/** Rounds of requests after the outcome of the check is known. */
const ROUNDS_AFTER = 3;

/**
 * Loads a model again and again. Each load sends four streams at once, until the outcome of its check is known and
 * beyond. Returns for each load the largest difference from ONNX Runtime's answers for one stream alone.
 */
export function openStreams(harness: Page, request: Request) {
  return harness.evaluate(
    async ({ url, provider, loads, verify, streams, roundsAfter }) => {
      const { createBatchedModel, createReference, distance } = window.harness;
      const reference = await createReference(url, provider);
      const found: { largest: number; outcome: string; isSingle: boolean }[] = [];
      for (let load = 0; load < loads; load++) {
        const model = await createBatchedModel(url, { executionProviders: [provider], cache: false, verify });
        const { dims = [] } = model.inputs[0] ?? {};
        const length = dims.slice(1).reduce<number>((all, size) => all * Number(size), 1);
        const items = streams.map((loudness) => ({
          x: {
            type: "float32" as const,
            dims: dims.slice(1).map(Number),
            data: Float32Array.from(
              { length },
              (_, index) => loudness * Math.sin(1 + (0.01 + loudness / 1000) * index),
            ),
          },
        }));
        const alone = await reference.runAll(items);
        let [left, largest] = [roundsAfter, 0];
        while (left > 0) {
          const answers = await Promise.all(items.map((item) => model.predict(item)));
          largest = Math.max(largest, ...answers.map((answer, stream) => distance(answer, alone[stream])));
          if (model.stats().batchCheck.outcome !== "inconclusive") left -= 1;
        }
        const { batchCheck, batchSize } = model.stats();
        found.push({ largest, outcome: batchCheck.outcome, isSingle: batchSize.max === 1 });
        await model.dispose();
      }
      return found;
    },
    { ...request, streams: STREAMS, roundsAfter: ROUNDS_AFTER },
  );
}
