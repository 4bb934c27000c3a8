import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";
import { UnmanagedTab } from "../support/pages/unmanaged-tab.js";

/** Many times the duration of a run of the tiny model on an idle machine. */
const PATIENCE_MS = 3000;
const A_MINUTE_MS = 60_000;
const AN_HOUR_MS = 3_600_000;

/** Opens a tab with a model whose runs time out after `PATIENCE_MS`, and which records its states. */
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

/** Code for a page whose clock the test can advance. */
const SKIPPABLE_CLOCK = `{
  let skippedMs = 0;
  const now = performance.now.bind(performance);
  performance.now = () => skippedMs + now();
  window.skip = (ms) => void (skippedMs += ms);
}`;

async function openHiddenTab(...whose: Parameters<typeof openTab>) {
  const tab = await openTab(...whose);
  await tab.hide();
  await expect.poll(() => tab.evaluate(`document.visibilityState`)).toBe("hidden");
  return tab;
}

test("a tab that is frozen with runs in flight continues, and no run counts as hung", async ({ browser, home }) => {
  const tab = await openHiddenTab(browser, home);
  // Simulates a long freeze: after it, the test advances the page's clock by an hour.
  await tab.evaluate(SKIPPABLE_CLOCK);
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

test("in a hidden tab, a worker that ends without an event is replaced", { tag: LONG }, async ({ browser, home }) => {
  const tab = await openHiddenTab(browser, home);
  await tab.evaluate(`workers[0].terminate()`);
  expect(await tab.evaluate(`burst()`)).toBe(100);
  expect(await tab.evaluate(`states`)).toEqual(["recovering", "ready"]);
  await tab.close();
});

test(
  "in a hidden tab whose timers are throttled, a hung worker is replaced after one timer, not one per tick",
  { tag: LONG },
  async ({ browser, home }) => {
    const tab = await openHiddenTab(browser, home);
    await tab.evaluate(SKIPPABLE_CLOCK);
    // A browser throttles such timers to one per minute. Here, only the timers fire that are set when the requests are
    // sent.
    await tab.evaluate(`{
    window.timers = [];
    window.setTimeout = (callback) => timers.push(callback);
    window.clearTimeout = () => undefined;
    workers[0].postMessage = () => undefined;
    const answered = burst();
    window.answered = () => answered;
  }`);
    await expect.poll(() => tab.evaluate(`timers.length`)).toBeGreaterThan(0);
    await tab.evaluate(`{
    skip(${A_MINUTE_MS});
    timers.splice(0).forEach((callback) => callback());
  }`);
    expect(await tab.evaluate(`answered()`)).toBe(100);
    expect(await tab.evaluate(`states`)).toEqual(["recovering", "ready"]);
    await tab.evaluate(`model.dispose()`);
    await tab.close();
  },
);

test(
  "in a hidden tab whose timers never fire, a request times out even if its worker is busy",
  { tag: LONG },
  async ({ browser, home }) => {
    const tab = await openHiddenTab(browser, home);
    await tab.evaluate(`window.setTimeout = () => 0`);
    // The worker receives no messages, which has the same effect as a busy worker.
    await tab.evaluate(`workers[0].postMessage = () => undefined`);
    const code = `harness.failureOf(model.predict(items[1], { timeoutMs: 100 })).then(({ code }) => code)`;
    expect(await tab.evaluate(code)).toBe("TIMED_OUT");
    expect(await tab.evaluate(code)).toBe("TIMED_OUT");
    expect(await tab.evaluate(`workers.length`)).toBe(2);
    // Restores messages, so that the worker receives the request to end.
    await tab.evaluate(`delete workers[0].postMessage`);
    await tab.evaluate(`model.dispose()`);
    await expect.poll(() => tab.evaluate(`workers.every((worker) => worker.isTerminated)`)).toBe(true);
    await tab.close();
  },
);
