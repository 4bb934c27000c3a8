import { openCallers, type CalledModel } from "./callers.js";
import { median, type Quantile } from "./latency-statistics.js";
import type { Load } from "./load.js";
import { settle, type SettledModel } from "./settle.js";

/** Pause before each burst, in ms. Its length is random, so that bursts start at any time within a frame. */
const PAUSE = { leastMs: 8, mostMs: 24 };

/** Maximum time to wait for the first answer of a burst, in ms. */
const LIMIT_MS = 3000;

/** How long the model may answer the rest of a burst after its first answer, in ms. */
const REST_MS = 1000;

/** How a lane's bursts are measured. */
export interface BurstOptions {
  /** No burst starts after this time, in ms. There is at least one. */
  readonly burstsMs: number;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/**
 * Measures the time from a burst, in which all callers of a load call at once on an idle page, to its first answer: the
 * median of a few bursts. The model answers the other requests too, so that it learns from a burst what it would learn
 * in an application. Those that take long are withdrawn.
 */
export async function measureFirstAnswer(
  model: CalledModel & SettledModel,
  load: Load,
  options: BurstOptions,
): Promise<Quantile> {
  const bursts: Quantile[] = [];
  const endMs = performance.now() + options.burstsMs;
  do {
    await pause(PAUSE.leastMs + (PAUSE.mostMs - PAUSE.leastMs) * options.random());
    options.signal.throwIfAborted();
    bursts.push(await runBurst(model, load, options));
  } while (performance.now() < endMs);
  return { ms: median(bursts.map(({ ms }) => ms)), isAtLeast: bursts.some(({ isAtLeast }) => isAtLeast) };
}

async function runBurst(model: CalledModel & SettledModel, load: Load, { signal }: BurstOptions): Promise<Quantile> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const rest = new AbortController();
  const withdrawn = AbortSignal.any([rest.signal, limit, signal]);
  const startMs = performance.now();
  const { callers, close } = openCallers(model, load);
  const requests = callers.map((caller, index) => caller.predict(load.item(index, 0), { signal: withdrawn }));
  const all = Promise.allSettled(requests);
  let burst: Quantile;
  try {
    await Promise.race(requests).catch((error: unknown) => {
      if (!limit.aborted) throw error;
    });
    burst = { ms: performance.now() - startMs, isAtLeast: limit.aborted };
    await Promise.race([all, pause(REST_MS)]);
    rest.abort();
    await all;
  } finally {
    close();
  }
  await settle(model);
  return burst;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
