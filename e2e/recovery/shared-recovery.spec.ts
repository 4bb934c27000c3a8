import { holdTimers, letRunsTimeOut, WATCHED } from "../support/pages/held-timers.js";
import { expectUnharmed, Ordeal } from "../support/ordeal.js";
import { crash, openTabs, SharedWorkers } from "../support/pages/shared-tabs.js";
import { expect, LONG, test } from "../support/test.js";

/** Longer than any test, so that tabs must detect the end of the worker without the timeout. */
const NEVER_HUNG_MS = 1_000_000;

const SHARED = { executionProviders: ["wasm"], shared: true, runTimeoutMs: NEVER_HUNG_MS } as const;

test("tabs that close or reload while their batches run affect no other", { tag: LONG }, async ({ context, home }) => {
  const tabs = await openTabs(context, home.url, 4);
  const [first, second, ...others] = await Promise.all(tabs.map((tab) => Ordeal.begin(tab, SHARED)));
  await first?.page.close();
  await second?.page.reload();
  for (const ordeal of others) await ordeal.untilTabs(2);
  for (const ordeal of others) {
    await ordeal.untilAnswered();
    const tally = await ordeal.end();
    expectUnharmed(tally);
    expect(tally.states).toEqual(["disposed"]);
  }
});

test("tabs whose process crashes affect no other, even if it is the worker's", async ({ context, home }) => {
  const tabs = await openTabs(context, home.url, 3);
  const ordeals = await Promise.all(tabs.map((tab) => Ordeal.begin(tab, SHARED)));
  while (ordeals.length > 1) {
    const [first, ...others] = ordeals;
    await crash(first!.page);
    ordeals.shift();
    for (const ordeal of others) await ordeal.untilTabs(others.length);
    for (const ordeal of others) await ordeal.untilAnswered();
  }
  for (const ordeal of ordeals) expectUnharmed(await ordeal.end());
});

test(
  "if the worker ends, all tabs meet in a new one, and no request is lost",
  { tag: LONG },
  async ({ browser, context, home }) => {
    const workers = new SharedWorkers(browser);
    const tabs = await openTabs(context, home.url, 3);
    const ordeals = await Promise.all(tabs.map((tab) => Ordeal.begin(tab, SHARED)));
    const ends = ["self.close()", "setTimeout(() => { throw new Error('broken on purpose') })"];
    for (const [index, end] of ends.entries()) {
      await test.step(end, async () => {
        await workers.end(end);
        for (const ordeal of ordeals) await ordeal.untilState(2 * (index + 1));
        for (const ordeal of ordeals) await ordeal.untilTabs(3);
        await workers.untilCount(1);
      });
    }
    for (const ordeal of ordeals) {
      const tally = await ordeal.end();
      expectUnharmed(tally);
      expect(tally.states).toEqual([...ends.flatMap(() => ["recovering", "ready"]), "disposed"]);
    }
  },
);

test(
  "if the worker hangs, all tabs move on when one has noticed, and the browser ends it",
  { tag: LONG },
  async ({ browser, context, home }) => {
    const workers = new SharedWorkers(browser);
    const tabs = await openTabs(context, home.url, 2);
    for (const tab of tabs) await tab.evaluate(holdTimers(WATCHED.tickMs));
    const settings = { ...SHARED, runTimeoutMs: WATCHED.runTimeoutMs };
    const ordeals = await Promise.all(tabs.map((tab) => Ordeal.begin(tab, settings)));
    await workers.evaluate("setTimeout(() => { for (;;); })");
    // The timers of the second tab never fire.
    const [first] = ordeals;
    while ((await first!.tally()).states.length === 0) await letRunsTimeOut(first!.page);
    for (const ordeal of ordeals) await ordeal.untilState(2);
    for (const ordeal of ordeals) await ordeal.untilTabs(2);
    await workers.untilCount(1);
    for (const ordeal of ordeals) {
      const tally = await ordeal.end();
      expectUnharmed(tally);
      expect(tally.states).toEqual(["recovering", "ready", "disposed"]);
    }
  },
);
