import process from "node:process";
import type { BrowserContext } from "@playwright/test";
import { randomFrom } from "../fixtures/items.js";
import { expectUnharmed, Ordeal } from "../support/ordeal.js";
import { crash, openTab, SharedWorkers } from "../support/pages/shared-tabs.js";
import { expect, LONG, test } from "../support/test.js";

/** The number of answers in all tabs together. */
const REQUESTS = Number(process.env["FRAMEBATCH_SHARED_REQUESTS"] ?? 20_000);
const TABS = 4;
/** The number of faults. */
const FAULTS = Math.max(8, Math.round(REQUESTS / 20_000));
/** Longer than the test: an end of the worker must be noticed without the timeout. */
const NEVER_HUNG_MS = 3_600_000;

/** What happens to a tab. It is then replaced by a new one. */
const FATES: Readonly<Record<string, (ordeal: Ordeal) => Promise<unknown>>> = {
  close: ({ page }) => page.close(),
  crash: ({ page }) => crash(page),
  reload: ({ page }) => page.reload(),
};

test(
  "nothing is lost or wrong while tabs close, crash and reload, and the worker ends",
  { tag: LONG },
  async ({ browser, context, home }) => {
    const workers = new SharedWorkers(browser);
    const random = randomFrom(1);
    const open = () => beginIn(context, home.url);
    const ordeals = await Promise.all(Array.from({ length: TABS }, open));
    const happened: Record<string, number> = {};
    let gone = 0;
    const answered = async () => {
      const tallies = await Promise.all(ordeals.map((ordeal) => ordeal.tally()));
      return tallies.reduce((sum, tally) => sum + tally.answered, gone);
    };
    for (let fault = 1; fault <= FAULTS; fault += 1) {
      await expect
        .poll(answered, { timeout: 1_000_000, intervals: [200] })
        .toBeGreaterThanOrEqual((REQUESTS * fault) / (FAULTS + 1));
      const fates = [...Object.keys(FATES), "worker"];
      const fate = fates[Math.floor(random() * fates.length)] ?? "worker";
      happened[fate] = (happened[fate] ?? 0) + 1;
      if (fate === "worker") {
        await workers.evaluate("self.close()");
        continue;
      }
      const index = Math.floor(random() * TABS);
      const { answered: lost, wrong, failures } = await ordeals[index]!.tally();
      expect({ wrong, failures }).toEqual({ wrong: 0, failures: [] });
      gone += lost;
      await FATES[fate]?.(ordeals[index]!);
      ordeals[index] = await open();
    }
    await expect.poll(answered, { timeout: 1_000_000 }).toBeGreaterThanOrEqual(REQUESTS);
    for (const ordeal of ordeals) await ordeal.untilTabs(TABS);
    await workers.untilCount(1);
    const total = await answered();
    for (const ordeal of ordeals) expectUnharmed(await ordeal.end());
    test.info().annotations.push({ type: "shared", description: JSON.stringify({ total, happened }) });
    await workers.untilCount(0);
  },
);

async function beginIn(context: BrowserContext, site: string): Promise<Ordeal> {
  const settings = { executionProviders: ["wasm"], shared: true, runTimeoutMs: NEVER_HUNG_MS } as const;
  return Ordeal.begin(await openTab(context, site), settings);
}
