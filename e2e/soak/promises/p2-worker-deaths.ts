import type { Page } from "@playwright/test";
import { atLeast, atMost, judged, NOTHING } from "../kit/findings.js";
import { MODEL_URLS } from "../kit/lab.js";
import type { Effort, SoakPromise } from "../kit/promise.js";
import { pause, Siege } from "../kit/siege.js";
import type { Killer } from "../page/soak-items.js";
import { DEATHS, followWorkers, shortenReply, type Death } from "../kit/worker-faults.js";
import { hookWorkers } from "../kit/worker-hook.js";

const PLANS = {
  full: { requests: 1_000_000, deaths: 42, burst: 50_000, killers: ["close", "hang"] },
  short: { requests: 50_000, deaths: 6, burst: 5000, killers: [] },
} satisfies Record<Effort, { readonly killers: readonly Killer[] } & Record<string, unknown>>;

const MIX = { aborted: 0.1, late: 0.05, poison: 0.001 };
const CALLERS = { least: 500, most: 5000 };
const BURST_EVERY = 5;
const RUN_TIMEOUT_MS = 1000;
const SLOWEST_RECOVERY_MS = 2000;
/** The tolerated detection time beyond `runTimeoutMs`, which the SDK counts in ticks. */
const DETECTION_GRACE_MS = 1000;

/** P2, correct under worker faults: every valid request gets its correct answer, regardless of the fault. */
export const P2: SoakPromise = {
  id: "P2",
  title: "correct when workers fail",
  isQuiet: false,
  async test({ lab, effort, seed, random }) {
    const { requests, deaths, burst, killers } = PLANS[effort];
    // The hook reads and drops messages. On an isolated page, batches go through shared memory instead.
    const url = await lab.serve({ headers: {} });
    const prepare = async (blank: Page) => {
      await followWorkers(blank);
      await hookWorkers(blank);
    };
    const page = await lab.openPage({}, prepare, url);
    const siege = await Siege.lay(page, {
      model: "numbered-rows",
      url: MODEL_URLS["numbered-rows"],
      providers: ["wasm"],
      inputs: 4093,
      seed,
      mix: MIX,
      options: { runTimeoutMs: RUN_TIMEOUT_MS },
    });
    const kinds: Death[] = random.deal(Object.keys(DEATHS).filter(isDeath), deaths);
    for (const [index, kind] of kinds.entries()) {
      await siege.keepOn(Math.round(random.between(CALLERS.least, CALLERS.most)));
      if (index % BURST_EVERY === 0) await siege.burst(burst);
      await pause(random.between(50, 400));
      if (random.next() < 0.3) await shortenReply(page);
      await siege.strike(kind, () => DEATHS[kind](page));
    }
    const { recoverP95Ms, detectP95Ms } = await siege.times();
    // After the times are read: the SDK finds a killer by bisection and loses a worker in each step, so the outage is
    // longer.
    for (const killer of killers) await siege.kill(killer);
    await siege.until(`${requests} requests`, ({ made }) => made >= requests);
    const { losses, ...account } = await siege.end();
    await page.context().browser()?.close();
    const found = judged(account);
    return {
      ...NOTHING,
      ...found,
      faults: deaths + killers.length,
      recoverP95Ms,
      figures: { detectP95Ms, losses, excused: account.excused },
      breaches: [
        ...found.breaches,
        ...atLeast("requests", account.n, requests),
        ...atLeast("workers lost", losses, deaths),
      ],
      slow: [
        ...atMost("ms to recover", recoverP95Ms, SLOWEST_RECOVERY_MS),
        ...atMost("ms to detect a loss", detectP95Ms, RUN_TIMEOUT_MS + DETECTION_GRACE_MS),
      ],
    };
  },
};

function isDeath(name: string): name is Death {
  return name in DEATHS;
}
