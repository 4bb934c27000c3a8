import { atLeast, atMost, judged, NOTHING } from "../kit/findings.js";
import { MODEL_URLS } from "../kit/lab.js";
import { LeakMeter } from "../kit/leak-meter.js";
import { LEAK_LIMITS, leakSigns, slopeOf, type Checkpoint } from "../kit/leak-trend.js";
import type { Effort, SoakPromise } from "../kit/promise.js";

const PLANS = {
  full: { requests: 10_000_000, warmUp: 1_000_000, steps: 18, limits: LEAK_LIMITS },
  // Wider limits: with few requests, the memory that the engine uses to optimize its code dominates the slope.
  short: { requests: 1_000_000, warmUp: 600_000, steps: 4, limits: { bytesPerRequest: 0.5, growthBytes: 2 ** 19 } },
} satisfies Record<Effort, object>;

const CALLERS = 1000;
const MIN_RATE_PER_SEC = 50_000;
const SLOWEST_P99_MS = 50;
const END_LIMIT_MS = 20_000;

/** P1, correct under load: no request is lost, wrong or answered twice, and no memory leaks. */
export const P1: SoakPromise = {
  id: "P1",
  title: "correct under load",
  isQuiet: true,
  async test({ lab, effort, seed }) {
    const { requests, warmUp, steps, limits } = PLANS[effort];
    const page = await lab.openPage();
    const meter = await LeakMeter.attach(page);
    const request = {
      model: "mlp-tiny",
      url: MODEL_URLS["mlp-tiny"],
      providers: ["wasm"],
      inputs: 4093,
      seed,
    } as const;
    const subject = await page.evaluateHandle((sent) => window.soak.open(sent), request);
    const run = (made: number) =>
      subject.evaluate((it, [count, callers]) => it.load.run(count, callers), [made, CALLERS] as const);

    await run(warmUp);
    const checkpoints: Checkpoint[] = [await meter.read(warmUp)];
    const step = (requests - warmUp) / steps;
    let loadedMs = 0;
    while (checkpoints.length <= steps) {
      const startedAtMs = performance.now();
      await run(step);
      loadedMs += performance.now() - startedAtMs;
      checkpoints.push(await meter.read(warmUp + checkpoints.length * step));
    }

    const p99Ms = await subject.evaluate((it) => it.model.stats().totalMs.p99);
    const account = await subject.evaluate((it, limitMs) => it.end(limitMs), END_LIMIT_MS);
    await page.context().browser()?.close();
    const perSec = Math.round(((requests - warmUp) / loadedMs) * 1000);
    const found = judged(account);
    return {
      ...NOTHING,
      ...found,
      leakedBytesPerRequest: slopeOf(checkpoints),
      figures: {
        perSec,
        p99Ms,
        grownBytes: (checkpoints.at(-1)?.bytes ?? 0) - (checkpoints[0]?.bytes ?? 0),
      },
      breaches: [...found.breaches, ...atLeast("requests", account.n, requests), ...leakSigns(checkpoints, limits)],
      slow: [
        ...atLeast("answers a second", perSec, MIN_RATE_PER_SEC),
        ...atMost("ms at the 99th percentile", p99Ms, SLOWEST_P99_MS),
      ],
    };
  },
};
