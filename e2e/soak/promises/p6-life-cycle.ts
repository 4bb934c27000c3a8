import type { Browser } from "@playwright/test";
import { UnmanagedTab } from "../../support/pages/unmanaged-tab.js";
import type { Account } from "../kit/ledger.js";
import { atMost, judged, NOTHING } from "../kit/findings.js";
import { MODEL_URLS, type Lab } from "../kit/lab.js";
import type { Effort, SoakPromise } from "../kit/promise.js";
import { pause } from "../kit/siege.js";
import type { LifeSigns } from "../page/life-cycle.js";

/**
 * `hiddenMs` is longer than a minute: after a minute in the background, the browser fires a page's timers once a
 * minute.
 */
const PLANS = {
  full: { cycles: 30, freezes: 5, freezeMs: 5000, returns: 5, hiddenMs: 92_000 },
  short: { cycles: 3, freezes: 1, freezeMs: 1500, returns: 1, hiddenMs: 3000 },
} satisfies Record<Effort, object>;

/** Default flags of Playwright that make every tab behave as if it were in front. */
const ALWAYS_AWAKE = [
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--disable-backgrounding-occluded-windows",
  "--disable-back-forward-cache",
];
const NO_REASON = "no reason of the page's own";
/**
 * Evaluates to `null` if the page returned from the back/forward cache, otherwise to the browser's reasons for creating
 * a new page. The reason "masked" is ignored: it stands for one that the browser does not disclose.
 */
const WHY_NOT_RESTORED = `"life" in window ? null : (performance.getEntriesByType("navigation")[0]?.notRestoredReasons?.reasons?.map(({ reason }) => reason).filter((reason) => reason !== "masked").join() || ${JSON.stringify(NO_REASON)})`;
const IN_FLIGHT = 2000;
const SLOWEST_HIDDEN_P99_MS = 50;
const SETTLING_MS = 500;
const STATE_LIMIT_MS = 15_000;
const MAX_EVICTIONS = 3;

/** P6: in a hidden, frozen or cached page, no request is lost, and suspended time does not count as a hang. */
export const P6: SoakPromise = {
  id: "P6",
  title: "hidden, frozen and restored",
  isQuiet: false,
  async test(run) {
    for (let left = MAX_EVICTIONS; left > 0; left -= 1) {
      try {
        return await liveThrough(run, PLANS[run.effort].returns);
      } catch (error) {
        if (!(error instanceof Evicted)) throw error;
      }
    }
    const found = await liveThrough(run, 0);
    return { ...found, figures: { ...found.figures, restored: "refused-by-browser" } };
  },
};

type Test = SoakPromise["test"];

async function liveThrough({ lab, effort, seed }: Parameters<Test>[0], returns: number): ReturnType<Test> {
  const { cycles, freezes, freezeMs, hiddenMs } = PLANS[effort];
  const life = await Life.begin(await lab.launch({ without: ALWAYS_AWAKE }), lab, seed);
  for (let cycle = 0; cycle < cycles; cycle += 1) await life.hideFor(SETTLING_MS);
  for (let freeze = 0; freeze < freezes; freeze += 1) await life.freezeFor(freezeMs);
  for (let back = 0; back < returns; back += 1) await life.leaveAndReturn(back + 1);
  const hiddenP99Ms = await life.hideFor(hiddenMs);
  const { frozen, restored, losses } = await life.signs();
  const account = await life.end();
  const found = judged(account);
  return {
    ...NOTHING,
    ...found,
    faults: cycles + freezes + returns + 1,
    figures: { hiddenP99Ms, falseRestarts: losses, frozen, restored },
    breaches: [
      ...found.breaches,
      ...atMost("restarts of a healthy worker", losses, 0),
      ...(restored === returns ? [] : [`expected ${returns} returns from the back/forward cache, got ${restored}`]),
      ...(frozen >= freezes ? [] : [`expected ${freezes} freezes, got ${frozen}`]),
    ],
    slow: atMost("ms at the 99th percentile while hidden", hiddenP99Ms, SLOWEST_HIDDEN_P99_MS),
  };
}

/** Thrown if the browser did not keep the page, for a reason outside the page, such as low memory. */
class Evicted extends Error {}

/** A tab with the soak page that the browser treats as a user's tab. */
class Life {
  readonly #browser: Browser;
  readonly #tab: UnmanagedTab;
  readonly #home: string;
  readonly #elsewhere: string;

  private constructor(browser: Browser, tab: UnmanagedTab, lab: Lab) {
    this.#browser = browser;
    this.#tab = tab;
    this.#home = `${lab.url}/soak.html`;
    this.#elsewhere = `${lab.url}/blank.html`;
  }

  static async begin(browser: Browser, lab: Lab, seed: number): Promise<Life> {
    const life = new Life(browser, await UnmanagedTab.open(browser, `${lab.url}/soak.html`), lab);
    await life.#until("the page", `"soak" in window`);
    const request = { model: "mlp-tiny", url: MODEL_URLS["mlp-tiny"], providers: ["wasm"], inputs: 4093, seed };
    await life.#do(`soak.beginLife(${JSON.stringify(request)}).then((life) => void (window.life = life))`);
    return life;
  }

  /** Hides the tab for `ms`. Returns the 99th percentile of the response time while hidden, in milliseconds. */
  async hideFor(ms: number): Promise<number> {
    await this.#hide();
    await this.#do(`life.burst(${IN_FLIGHT}); life.timeAnew()`);
    await pause(ms);
    const p99Ms = Number(await this.#tab.evaluate(`life.p99Ms()`));
    await this.#show();
    return p99Ms;
  }

  async freezeFor(ms: number): Promise<void> {
    await this.#hide();
    await this.#do(`life.burst(${IN_FLIGHT})`);
    await this.#tab.freeze();
    await pause(ms);
    await this.#tab.resume();
    await this.#show();
    await this.#goesOn();
  }

  async leaveAndReturn(times: number): Promise<void> {
    await this.#do(`life.burst(${IN_FLIGHT})`);
    await this.#tab.visit(this.#elsewhere);
    await this.#arrive(this.#elsewhere);
    await this.#tab.goBack();
    await this.#arrive(this.#home);
    await this.#until("the page again", `"soak" in window`);
    const whyNot = await this.#tab.evaluate(WHY_NOT_RESTORED);
    if (whyNot === NO_REASON) throw new Evicted();
    if (whyNot !== null)
      throw new Error(`expected the page from the back/forward cache, got a new page: ${JSON.stringify(whyNot)}`);
    await this.#until("the return", `life.signs().restored === ${times}`);
    await this.#goesOn();
  }

  /** Waits for a navigation without scripts: a script in a page that enters or leaves the cache would evict it. */
  async #arrive(url: string): Promise<void> {
    // During the navigation, the history is not available.
    while ((await this.#tab.url().catch(() => null)) !== url) await pause(SETTLING_MS);
    await pause(SETTLING_MS);
  }

  async signs(): Promise<LifeSigns> {
    return Object(await this.#tab.evaluate(`life.signs()`));
  }

  async end(): Promise<Account> {
    const account: Account = Object(await this.#tab.evaluate(`life.end()`));
    await this.#browser.close();
    return account;
  }

  async #hide(): Promise<void> {
    await this.#tab.hide();
    await this.#until("the tab to be hidden", `document.visibilityState === "hidden"`);
  }

  async #show(): Promise<void> {
    await this.#tab.show();
    await this.#until("the tab to be shown", `document.visibilityState === "visible"`);
  }

  async #goesOn(): Promise<void> {
    const { made } = await this.signs();
    await this.#until("requests to continue", `life.signs().made > ${made + 20}`);
  }

  async #do(script: string): Promise<void> {
    await this.#tab.evaluate(script);
  }

  async #until(what: string, condition: string): Promise<void> {
    const deadlineMs = performance.now() + STATE_LIMIT_MS;
    while ((await this.#tab.evaluate(condition).catch(() => false)) !== true) {
      if (performance.now() > deadlineMs) throw new Error(`expected ${what} within ${STATE_LIMIT_MS} ms`);
      await pause(50);
    }
  }
}
