import { MODEL_PATHS } from "./support/site.js";
import { expect, test } from "./support/test.js";
import { UnmanagedTab } from "./support/unmanaged-tab.js";

/** Many times what a run of the tiny model takes where nothing else runs. */
const PATIENCE_MS = 3000;
const AN_HOUR_MS = 3_600_000;

/** A tab with a model that takes a run for hung after some seconds, and that writes its states down. */
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
    window.model = await harness.createBatchedModel("${MODEL_PATHS["mlp-tiny"]}", { executionProviders: ["wasm"], runTimeoutMs: ${PATIENCE_MS} });
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
  // Nobody waits for the time that passes while a tab is frozen: its clock says so.
  await tab.evaluate(`{
    let skippedMs = 0;
    const now = performance.now.bind(performance);
    performance.now = () => skippedMs + now();
    window.skip = (ms) => void (skippedMs += ms);
  }`);
  for (let time = 0; time < 2; time++) {
    await tab.evaluate(`void (window.open = Array.from({ length: 20 }, burst))`);
    await tab.freeze();
    await tab.resume();
    await tab.evaluate(`skip(${AN_HOUR_MS})`);
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
  // A browser's come every minute in the end. Here those come that are set before the worker is asked, and no later ones.
  await tab.evaluate(`{
    window.timers = [];
    window.setTimeout = (callback) => timers.push(callback);
    window.clearTimeout = () => undefined;
    workers[0].postMessage = () => undefined;
    const answered = burst();
    window.answered = () => answered;
  }`);
  await expect.poll(() => tab.evaluate(`timers.length`)).toBeGreaterThan(0);
  await tab.evaluate(`timers.splice(0).forEach((callback) => callback())`);
  expect(await tab.evaluate(`answered()`)).toBe(100);
  expect(await tab.evaluate(`states`)).toEqual(["recovering", "ready"]);
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
