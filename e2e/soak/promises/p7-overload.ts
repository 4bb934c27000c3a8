import { atLeast, atMost, judged, NOTHING } from "../kit/findings.js";
import { MODEL_URLS } from "../kit/lab.js";
import type { Effort, SoakPromise } from "../kit/promise.js";
import { Siege } from "../kit/siege.js";

const SPANS_MS = { full: [4000, 30_000], short: [1000, 2000] } satisfies Record<Effort, readonly [number, number]>;
const TIMES = 10;
const MAX_QUEUE_SIZE = 128;
const MIN_GOODPUT_SHARE = 0.9;
const SLOWEST_REFUSAL_MS = 1;
const MIN_FRAMES_PER_SEC = 50;

/** P7: at ten times its peak rate, a model keeps its throughput, and rejects the excess at once. */
export const P7: SoakPromise = {
  id: "P7",
  title: "overload is rejected at once",
  isQuiet: true,
  async test({ lab, effort, seed }) {
    const page = await lab.openPage();
    const siege = await Siege.lay(page, {
      // The model is slow enough for the page to send ten times its peak rate.
      model: "cnn-28",
      url: MODEL_URLS["cnn-28"],
      providers: ["wasm"],
      inputs: 257,
      seed,
      excused: ["OVERLOADED"],
      options: { maxQueueSize: MAX_QUEUE_SIZE },
    });
    const found = await siege.subject.evaluate(
      (it, [bound, times, spansMs]) => window.soak.overload(it, bound, times, spansMs),
      [MAX_QUEUE_SIZE, TIMES, SPANS_MS[effort]] as const,
    );
    const account = await siege.end();
    await page.context().browser()?.close();
    const { own, probes, probesRefused, longestTaskMs, ...figures } = found;
    const refused = (account.errors["OVERLOADED"] ?? 0) + probesRefused;
    const goodputShare = found.goodputPerSec / found.peakPerSec;
    const correctness = judged({ ...account, duplicated: 0 });
    return {
      ...NOTHING,
      ...correctness,
      duplicated: account.duplicated,
      figures: { ...figures, goodputShare, refused, longestTaskMs },
      breaches: [
        ...correctness.breaches,
        ...atLeast("requests rejected", refused, 1),
        ...same("requests rejected", own.refused.queueFull, refused),
        ...same("requests offered", own.offered, own.accepted + own.refused.queueFull + own.refused.latency),
        ...same("requests rejected while the queue was full", probesRefused, probes),
        ...atMost("requests queued", found.longestQueue, MAX_QUEUE_SIZE),
      ],
      slow: [
        ...atLeast("of the best goodput under overload", goodputShare, MIN_GOODPUT_SHARE),
        ...atMost("ms to a rejection at the 99th percentile", found.refusalP99Ms, SLOWEST_REFUSAL_MS),
        ...atLeast("frames a second", found.framesPerSec, MIN_FRAMES_PER_SEC),
        ...(longestTaskMs === null ? [] : [`expected no task of more than 50 ms on the page, got ${longestTaskMs} ms`]),
      ],
    };
  },
};

function same(what: string, got: number, expected: number): string[] {
  return got === expected ? [] : [`expected ${expected} ${what}, got ${got}`];
}
