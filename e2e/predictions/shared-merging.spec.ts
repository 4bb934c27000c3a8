import type { Page } from "@playwright/test";
import { openTabs, SharedWorkers } from "../support/pages/shared-tabs.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

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
          for (let merged = 0, value = first; merged < 5; value += 2) {
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

/** Makes the worker tell all tabs of each run with rows of several tabs. */
const TELL_MERGED = `{
  const told = new BroadcastChannel("merged");
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (message, ...others) {
    if (message?.turn?.owner === "several") told.postMessage(null);
    return postMessage.call(this, message, ...others);
  };
}`;

test(
  "an item that makes a merged run fail is rejected, and harms no other tab",
  { tag: LONG },
  async ({ browser, context, home }) => {
    const [victim, culprit] = await openTabs(context, home.url, 2);
    await openMarkedRows(victim!);
    await openMarkedRows(culprit!);
    await new SharedWorkers(browser).evaluate(TELL_MERGED);
    const asking = await victim!.evaluateHandle(() => {
      const over = new AbortController();
      const ask = async () => {
        const failures: (string | null)[] = [];
        for (let id = 0n; !over.signal.aborted; id = (id + 1n) % 16n) {
          const failure = await window.harness.failureOf(window.predictRow(id));
          if (failure !== null) failures.push(failure.code);
        }
        return failures;
      };
      const failures = ask();
      const end = () => {
        over.abort();
        return failures;
      };
      return { end };
    });
    const codes = await culprit!.evaluate(async () => {
      const merged: unknown[] = [];
      new BroadcastChannel("merged").addEventListener("message", ({ data }) => merged.push(data));
      const found = new Set<string | null>();
      while (merged.length < 5) found.add((await window.harness.failureOf(window.predictRow(99n)))?.code ?? null);
      return [...found];
    });
    expect(codes).toEqual(["INFERENCE_FAILED"]);
    expect(await asking.evaluate(({ end }) => end())).toEqual([]);
  },
);

declare global {
  interface Window {
    /** Asks a model that fails on the id 99. */
    predictRow(id: bigint): Promise<unknown>;
  }
}

async function openMarkedRows(tab: Page): Promise<void> {
  await tab.evaluate(
    async ({ url, chosen }) => {
      const model = await window.harness.createBatchedModel(url, chosen);
      window.predictRow = (id) => model.predict({ id: BigInt64Array.of(id) });
    },
    { url: MODEL_PATHS["fails-on-marked-row"], chosen: { ...SHARED, verify: false } },
  );
}
