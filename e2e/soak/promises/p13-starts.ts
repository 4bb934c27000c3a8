import type { Page } from "@playwright/test";
import type { StartEnd } from "../page/starts.js";
import { answerBroken, brokenStarts, SILENT_STARTS, type BrokenStart } from "../kit/broken-starts.js";
import { atMost, NOTHING } from "../kit/findings.js";
import { MODEL_URLS, type Lab } from "../kit/lab.js";
import type { SoakPromise } from "../kit/promise.js";
import { quantile } from "../kit/quantile.js";

const STALL_TIMEOUT_MS = 3000;
const GRACE_MS = 1000;
/** A start that has not settled after this time counts as never settled. */
const LIMIT_MS = 60_000;
/**
 * A silent worker has a time limit of one minute. For it, the page's timers longer than a stall run this many times
 * faster, and its clock is on time for them.
 */
const HASTE = 60;
const AT_A_TIME = 3;
const GOOD = MODEL_URLS["mlp-tiny"];

/** P13: a model that cannot start rejects in time, and the next model starts. */
export const P13: SoakPromise = {
  id: "P13",
  title: "every start settles",
  isQuiet: false,
  async test({ lab }) {
    const page = await enter(lab);
    const ends: StartEnd[] = [];
    const cases = [...brokenStarts(lab.url)];
    while (cases.length > 0) {
      ends.push(...(await Promise.all(cases.splice(0, AT_A_TIME).map((broken) => start(page, broken)))));
    }
    const hasty = await enter(lab, HASTE);
    ends.push(...(await Promise.all(SILENT_STARTS.map((silent) => start(hasty, silent, HASTE)))));
    await hasty.context().browser()?.close();
    await page.context().setOffline(true);
    ends.push(await start(page, { id: "N9 offline" }));
    await page.context().setOffline(false);
    // Two concurrent starts of the same model without a fault: both succeed.
    const twice = [{ id: "N13 the first of two" }, { id: "N13 the second of two" }];
    const wells = await Promise.all(twice.map((well) => start(page, well)));
    await page.context().browser()?.close();
    return {
      ...NOTHING,
      n: ends.length + wells.length,
      faults: ends.length,
      figures: {
        slowestMs: quantile(
          ends.map(({ ms }) => ms),
          1,
        ),
      },
      breaches: [
        ...ends.flatMap(({ id, end }) =>
          /^[A-Z_]+$/.test(end) ? [] : [`expected "${id}" to reject with a code, got ${end}`],
        ),
        ...wells.flatMap(({ id, end }) => (end === "ready" ? [] : [`expected "${id}" to be ready, got ${end}`])),
      ],
      slow: ends.flatMap(({ id, ms, end }) =>
        atMost(`ms until "${id}" settles (${end})`, ms, STALL_TIMEOUT_MS + GRACE_MS),
      ),
    };
  },
};

async function enter(lab: Lab, haste = 1): Promise<Page> {
  const browser = await lab.launch();
  const page = await browser.newPage();
  await page.addInitScript(
    ([longMs, factor]) => {
      const wait = window.setTimeout.bind(window);
      const now = performance.now.bind(performance);
      let aheadMs = 0;
      Reflect.set(performance, "now", () => now() + aheadMs);
      const early = (callback: () => void, ms: number) => () => {
        aheadMs += ms - ms / factor;
        callback();
      };
      const hasty = (callback: () => void, ms = 0) =>
        ms > longMs ? wait(early(callback, ms), ms / factor) : wait(callback, ms);
      Reflect.set(window, "setTimeout", hasty);
    },
    [STALL_TIMEOUT_MS, haste] as const,
  );
  await lab.enter(page, await lab.serve({ headers: {}, intercept: answerBroken }));
  return page;
}

function start(page: Page, broken: BrokenStart, haste = 1): Promise<StartEnd> {
  return page.evaluate(([good, sent, stallMs, limitMs]) => window.soak.start(good, sent, stallMs, limitMs), [
    GOOD,
    broken,
    STALL_TIMEOUT_MS,
    LIMIT_MS * haste,
  ] as const);
}
