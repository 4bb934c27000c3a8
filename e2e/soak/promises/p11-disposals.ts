import type { Page } from "@playwright/test";
import type { Disposal, Moment } from "../page/disposals.js";
import { summed } from "../kit/ledger.js";
import { atMost, judged, NOTHING } from "../kit/findings.js";
import { MODEL_URLS } from "../kit/lab.js";
import { LeakMeter } from "../kit/leak-meter.js";
import { leakSigns, type Checkpoint } from "../kit/leak-trend.js";
import type { Effort, SoakPromise } from "../kit/promise.js";
import { quantile } from "../kit/quantile.js";
import { pause } from "../kit/siege.js";

const PLANS = {
  full: { cycles: 100, every: 18, growthBytes: 2 ** 19 },
  short: { cycles: 10, every: 3, growthBytes: 2 ** 19 },
} satisfies Record<Effort, object>;
const MOMENTS: readonly Moment[] = ["loading", "in flight", "at rest"];
const SLOWEST_DISPOSAL_MS = 1000;
const WORKERS_GONE_MS = 3000;

/** P11: a model that is disposed at any moment releases all its resources. */
export const P11: SoakPromise = {
  id: "P11",
  title: "dispose releases everything",
  isQuiet: false,
  async test({ lab, effort, seed, random }) {
    const { cycles, every, growthBytes } = PLANS[effort];
    const page = await lab.openPage();
    const meter = await LeakMeter.attach(page);
    const disposals = await page.evaluateHandle((sent) => window.soak.openDisposals(sent), {
      model: "mlp-tiny",
      url: MODEL_URLS["mlp-tiny"],
      providers: ["wasm"],
      inputs: 4093,
      seed,
      excused: ["DISPOSED"],
    } as const);
    const ends: Disposal[] = [];
    const checkpoints: Checkpoint[] = [];
    let slowestGoneMs = 0;
    for (const moment of random.deal(MOMENTS, cycles)) {
      const progress = random.next();
      ends.push(await disposals.evaluate((it, [when, how]) => it.cycle(when, how), [moment, progress] as const));
      slowestGoneMs = Math.max(slowestGoneMs, await workersGoneMs(page));
      if (ends.length % every === every - 1) checkpoints.push(await meter.read(ends.length));
    }
    const blocked = await page.evaluate(() => window.soak.deleteDatabases());
    await page.context().browser()?.close();
    const found = judged(summed(ends.flatMap(({ account }) => account ?? [])));
    const slowestDisposalMs = quantile(
      ends.map(({ disposeMs }) => disposeMs),
      1,
    );
    return {
      ...NOTHING,
      ...found,
      faults: cycles,
      figures: {
        slowestDisposalMs,
        slowestGoneMs,
        grownBytes: (checkpoints.at(-1)?.bytes ?? 0) - (checkpoints[0]?.bytes ?? 0),
        blockedDatabases: blocked.length,
      },
      breaches: [
        ...found.breaches,
        ...leakSigns(checkpoints, { bytesPerRequest: Infinity, growthBytes }),
        ...atMost(`open databases (${blocked.join()})`, blocked.length, 0),
      ],
      slow: [
        ...atMost("ms to dispose", slowestDisposalMs, SLOWEST_DISPOSAL_MS),
        ...atMost("ms until the workers have ended", slowestGoneMs, WORKERS_GONE_MS),
      ],
    };
  },
};

async function workersGoneMs(page: Page): Promise<number> {
  const startedAtMs = performance.now();
  while (page.workers().length > 0 && performance.now() - startedAtMs <= WORKERS_GONE_MS) await pause(10);
  return performance.now() - startedAtMs;
}
