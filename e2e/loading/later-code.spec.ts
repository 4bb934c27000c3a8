import type { Page } from "@playwright/test";
import type { BatchedModel } from "framebatch";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";

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

test("a stream whose code is still loading ends at once when it is aborted, and when its model is disposed of", async ({
  harness,
}) => {
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
});

async function openModel(page: Page): Promise<void> {
  await page.evaluate(async (url) => {
    const opened = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    Object.assign(window, { model: opened });
  }, TINY);
}

function predict(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const failure = await window.harness.failureOf(model.predict(window.harness.itemFor("mlp-tiny", 1)));
    return failure === null ? "answered" : `${failure.code}: ${failure.message}`;
  });
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
