import { atMost, judged, NOTHING } from "../kit/findings.js";
import { MODEL_URLS } from "../kit/lab.js";
import type { Effort, SoakPromise } from "../kit/promise.js";
import { Siege } from "../kit/siege.js";

const BATCHES = { full: 10_000, short: 500 } satisfies Record<Effort, number>;
const BATCH_SIZE = 32;
const POISON_SHARE = 0.01;
/** Five bisections of a batch of 32, and one more run. */
const MAX_EXTRA_RUNS = 6;

/** P4: of a failing batch, only the item that causes the failure is rejected, and finding it takes few extra runs. */
export const P4: SoakPromise = {
  id: "P4",
  title: "a poison item rejects alone",
  isQuiet: false,
  async test({ lab, effort, seed }) {
    const batches = BATCHES[effort];
    const page = await lab.openPage();
    const siege = await Siege.lay(page, {
      model: "numbered-rows",
      url: MODEL_URLS["numbered-rows"],
      providers: ["wasm"],
      inputs: 4093,
      seed,
      mix: { aborted: 0, late: 0, poison: POISON_SHARE },
      // Batches are dispatched only when they are full.
      options: { batching: { release: "window" }, maxQueueDelayMs: 60_000, maxBatchSize: BATCH_SIZE },
    });
    await siege.subject.evaluate((it, [count, size]) => it.batches(count, size), [batches, BATCH_SIZE] as const);
    const ran = await siege.subject.evaluate((it) => it.model.stats().batches);
    const account = await siege.end();
    await page.context().browser()?.close();
    const found = judged(account);
    const poisons = account.errors["INFERENCE_FAILED"] ?? 0;
    const firstRuns = ran.count - ran.byReason.retry;
    const extraRunsPerPoison = ran.byReason.retry / poisons;
    return {
      ...NOTHING,
      ...found,
      faults: poisons,
      figures: { batches: firstRuns, extraRunsPerPoison, losses: account.losses },
      breaches: [
        ...found.breaches,
        ...(firstRuns === batches ? [] : [`expected ${batches} batches of ${BATCH_SIZE}, got ${firstRuns} first runs`]),
        ...atMost("extra runs for each poison item", extraRunsPerPoison, MAX_EXTRA_RUNS),
        ...atMost("workers lost", account.losses, 0),
      ],
    };
  },
};
