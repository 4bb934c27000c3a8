import type { Page } from "@playwright/test";
import type { BatchedModel } from "framebatch";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

const TINY = MODEL_PATHS["mlp-tiny"];
/** The file with the code that loads after the first answer. */
const LATER = /\/later-code[^/]*\.js$/;

/** What `openModel` leaves in the page. */
declare const model: BatchedModel;

test("the code of streams loads after the first answer with a network, and a page may then go offline", async ({
  harness,
}) => {
  await openModel(harness);
  await harness.context().setOffline(true);
  expect(await predict(harness)).toBe("answered");
  await harness.context().setOffline(false);
  const fetched = harness.waitForEvent("requestfinished", (request) => LATER.test(request.url()));
  expect(await predict(harness)).toBe("answered");
  await fetched;
  await harness.context().setOffline(true);
  expect(await stream(harness)).toBe("3 results");
  await harness.context().setOffline(false);
});

test("a stream on a page that goes offline before its first answer rejects at once, and predictions go on", async ({
  harness,
}) => {
  await openModel(harness);
  await harness.route(LATER, (route) => route.abort("internetdisconnected"));
  expect(await stream(harness)).toMatch(/^RUNTIME_LOAD_FAILED: expected framebatch's own code to load/);
  expect(await predict(harness)).toBe("answered");
});

test(
  "a stream whose code is still loading ends at once when it is aborted, and when its model is disposed of",
  { tag: LONG },
  async ({ harness }) => {
    await openModel(harness);
    await harness.route(LATER, () => {});
    const failures = await harness.evaluate(async () => {
      const { failureOf, itemsFor } = window.harness;
      const items = itemsFor("mlp-tiny", 3);
      const stop = new AbortController();
      const aborted = failureOf(model.predictStream(items, { signal: stop.signal }).next());
      const disposed = failureOf(model.predictStream(items).next());
      stop.abort(new Error("no longer needed"));
      const first = await aborted;
      await model.dispose();
      return [first?.message, (await disposed)?.code];
    });
    expect(failures).toEqual(["no longer needed", "DISPOSED"]);
  },
);

const WORDS =
  "expected 64 elements for dims [64], got 128; this looks like 2 items: pass one at a time, or use predictMany";
const SHORT = "expected float32 [64], got something else; see the full text where this page has a network";

test(
  "the first error of a page gets its words before it rejects, also in a list, and in its stack",
  { tag: LONG },
  async ({ harness }) => {
    await openModel(harness);
    const [first, listed, stack] = await harness.evaluate(async () => {
      const wrong = new Float32Array(128);
      const failures = [
        window.harness.failureOf(model.predict(wrong)),
        window.harness.failureOf(model.predictMany([window.harness.itemFor("mlp-tiny", 1), wrong])),
      ];
      const error = await model.predict(wrong).catch((thrown: unknown) => thrown);
      const messages = (await Promise.all(failures)).map((failure) => failure?.message);
      return [...messages, error instanceof Error ? error.stack : ""];
    });
    expect(first).toBe(`input "x": ${WORDS}`);
    expect(listed).toBe(`item 1: input "x": ${WORDS}`);
    expect(stack).toContain(WORDS);
  },
);

test("an error on a page that is offline has its code and a short text, and its words as soon as there is a network", async ({
  harness,
}) => {
  await openModel(harness);
  await harness.context().setOffline(true);
  expect(await predict(harness, 128)).toBe(`INVALID_INPUT: input "x": ${SHORT}`);
  await harness.context().setOffline(false);
  expect(await predict(harness, 128)).toBe(`INVALID_INPUT: input "x": ${WORDS}`);
});

test(
  "an error whose words do not come in time rejects with its code and a short text",
  { tag: LONG },
  async ({ harness }) => {
    await openModel(harness);
    await harness.route(LATER, () => {});
    expect(await predict(harness, 128)).toBe(`INVALID_INPUT: input "x": ${SHORT}`);
  },
);

async function openModel(page: Page): Promise<void> {
  await page.evaluate(async (url) => {
    const opened = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    Object.assign(window, { model: opened });
  }, TINY);
}

function predict(page: Page, length = 64): Promise<string> {
  return page.evaluate(async (count) => {
    const failure = await window.harness.failureOf(model.predict(new Float32Array(count)));
    return failure === null ? "answered" : `${failure.code}: ${failure.message}`;
  }, length);
}

function stream(page: Page): Promise<string> {
  return page.evaluate(async () => {
    let count = 0;
    const read = async () => {
      for await (const _ of model.predictStream(window.harness.itemsFor("mlp-tiny", 3))) count += 1;
    };
    const failure = await window.harness.failureOf(read());
    return failure === null ? `${count} results` : `${failure.code}: ${failure.message}`;
  });
}
