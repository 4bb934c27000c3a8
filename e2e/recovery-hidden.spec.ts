import { MODEL_PATHS } from "./support/site.js";
import { expect, test } from "./support/test.js";
import { UnmanagedTab } from "./support/unmanaged-tab.js";

/** A tab with a model that takes a run for hung after half a second, and that writes its states down. */
async function openTab(
  ...[browser, home]: readonly [Parameters<typeof UnmanagedTab.open>[0], { readonly url: string }]
) {
  const tab = await UnmanagedTab.open(browser, `${home.url}/harness.html`);
  await expect.poll(() => tab.evaluate(`"harness" in window`)).toBe(true);
  await tab.evaluate(`(async () => {
    window.workers = [];
    window.Worker = class extends Worker {
      constructor(...terms) {
        super(...terms);
        workers.push(this);
      }
      terminate() {
        super.terminate();
        this.isTerminated = true;
      }
    };
    window.model = await harness.createBatchedModel("${MODEL_PATHS["mlp-tiny"]}", { executionProviders: ["wasm"], runTimeoutMs: 500 });
    window.states = [];
    model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
    window.items = harness.itemsFor("mlp-tiny", 100);
    window.burst = () => Promise.all(items.map((item) => model.predict(item))).then((all) => all.length);
  })()`);
  return tab;
}

async function openHiddenTab(...whose: Parameters<typeof openTab>) {
  const tab = await openTab(...whose);
  await tab.hide();
  await expect.poll(() => tab.evaluate(`document.visibilityState`)).toBe("hidden");
  return tab;
}

test("a tab that is frozen with runs in flight goes on where it was: nothing counts as hung", async ({
  browser,
  home,
}) => {
  const tab = await openHiddenTab(browser, home);
  for (let time = 0; time < 2; time++) {
    await tab.evaluate(`void (window.open = Array.from({ length: 20 }, burst))`);
    await tab.freeze();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await tab.resume();
    expect(await tab.evaluate(`Promise.all(open).then((sizes) => sizes.length)`)).toBe(20);
  }
  expect(await tab.evaluate(`states`)).toEqual([]);
  await tab.close();
});

test("in a hidden tab a worker that is gone without a word is replaced", async ({ browser, home }) => {
  const tab = await openHiddenTab(browser, home);
  await tab.evaluate(`workers[0].terminate()`);
  expect(await tab.evaluate(`burst()`)).toBe(100);
  expect(await tab.evaluate(`states`)).toEqual(["recovering", "ready"]);
  await tab.close();
});

test("in a hidden tab whose timers come late, a worker that hangs is replaced after one of them, and not after one for each tick", async ({
  browser,
  home,
}) => {
  const tab = await openHiddenTab(browser, home);
  // As a browser's are in the end, only that these come every 5 s, and a browser's every minute.
  await tab.evaluate(`{
    const { setTimeout } = window;
    window.setTimeout = (callback, ms) => setTimeout(callback, Math.max(ms, 5000));
    window.startedAtMs = performance.now();
    workers[0].postMessage = () => undefined;
  }`);
  expect(await tab.evaluate(`burst()`)).toBe(100);
  expect(await tab.evaluate(`states`)).toEqual(["recovering", "ready"]);
  expect(await tab.evaluate(`performance.now() - startedAtMs`)).toBeLessThan(15_000);
  await tab.evaluate(`model.dispose()`);
  await tab.close();
});

test("in a hidden tab whose timers never come, a request that runs out of time is told so, however busy its worker is", async ({
  browser,
  home,
}) => {
  const tab = await openHiddenTab(browser, home);
  await tab.evaluate(`window.setTimeout = () => 0`);
  // What the worker does not hear of keeps it as busy as can be.
  await tab.evaluate(`workers[0].postMessage = () => undefined`);
  const code = `harness.failureOf(model.predict(items[1], { timeoutMs: 100 })).then(({ code }) => code)`;
  expect(await tab.evaluate(code)).toBe("TIMED_OUT");
  expect(await tab.evaluate(code)).toBe("TIMED_OUT");
  expect(await tab.evaluate(`workers.length`)).toBe(2);
  // It is told that its time has come, and listens again.
  await tab.evaluate(`delete workers[0].postMessage`);
  await tab.evaluate(`model.dispose()`);
  await expect.poll(() => tab.evaluate(`workers.every((worker) => worker.isTerminated)`)).toBe(true);
  await tab.close();
});
