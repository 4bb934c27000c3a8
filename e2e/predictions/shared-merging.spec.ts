import type { Page } from "@playwright/test";
import { openTabs } from "../support/pages/shared-tabs.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";

const SHARED = { executionProviders: ["wasm"], shared: true } as const;

test("requests of two tabs run as one, and each tab gets its own answers", async ({ context, home }) => {
  const tabs = await openTabs(context, home.url, 2);
  const wrong = await Promise.all(
    tabs.map((tab, index) =>
      tab.evaluate(
        async ({ url, first, chosen }) => {
          // This model multiplies each row by the number of rows of its run.
          const model = await window.harness.createBatchedModel(url, chosen);
          let wrongAnswers = 0;
          for (let merged = 0, value = first; merged < 20; value += 2) {
            const { y } = await model.predict(new Float32Array(8).fill(value));
            const rows = Number(y?.data[0]) / value;
            if (rows === 2) merged += 1;
            if (
              ![1, 2].includes(rows) ||
              Array.from<unknown>(y?.data ?? []).some((element) => element !== value * rows)
            )
              wrongAnswers += 1;
          }
          return wrongAnswers;
        },
        { url: "/models/mixing-batch-size.onnx", first: 3 + index, chosen: { ...SHARED, verify: false } },
      ),
    ),
  );
  expect(wrong).toEqual([0, 0]);
});

test("an item that makes a merged run fail is rejected, and harms no other tab", async ({ context, home }) => {
  const [victim, culprit] = await openTabs(context, home.url, 2);
  await openMarkedRows(victim!);
  await openMarkedRows(culprit!);
  const asked = await victim!.evaluateHandle(() => {
    const over = new AbortController();
    const ask = async () => {
      const failures: (string | null)[] = [];
      for (let id = 0n; !over.signal.aborted; id = (id + 1n) % 16n) {
        const failure = await window.harness.failureOf(window.marked.predict(id));
        if (failure !== null) failures.push(failure.code);
      }
      return failures;
    };
    const asking = ask();
    const end = () => {
      over.abort();
      return asking;
    };
    return { end };
  });
  const codes = await culprit!.evaluate(async () => {
    const found: string[] = [];
    // One row is of this tab, and one of the other.
    for (let merged = 0; merged < 5; merged += Number(window.marked.mostRows() === 2)) {
      window.marked.forget();
      const failure = await window.harness.failureOf(window.marked.predict(99n));
      found.push(failure?.code ?? "answered");
    }
    return [...new Set(found)];
  });
  expect(codes).toEqual(["INFERENCE_FAILED"]);
  expect(await asked.evaluate(({ end }) => end())).toEqual([]);
});

declare global {
  interface Window {
    marked: {
      /** Asks a model that fails on the id 99. */
      predict(id: bigint): Promise<unknown>;
      /** Number of rows in the largest run with rows of other tabs since `forget`. */
      mostRows(): number;
      forget(): void;
    };
  }
}

async function openMarkedRows(tab: Page): Promise<void> {
  await tab.evaluate(
    async ({ url, chosen }) => {
      let mostRows = 0;
      const start: () => void = Reflect.get(MessagePort.prototype, "start");
      MessagePort.prototype.start = function () {
        this.addEventListener("message", ({ data }) => {
          if (Object(data).notice === "turn") mostRows = Math.max(mostRows, Number(data.rows));
        });
        start.call(this);
      };
      const model = await window.harness.createBatchedModel(url, chosen);
      window.marked = {
        predict: (id) => model.predict({ id: BigInt64Array.of(id) }),
        mostRows: () => mostRows,
        forget: () => (mostRows = 0),
      };
    },
    { url: MODEL_PATHS["fails-on-marked-row"], chosen: { ...SHARED, verify: { budgetMs: 600_000 } } },
  );
}
