/** The throughput of one batch size. */
export interface RatePoint {
  readonly size: number;
  readonly predictionsPerSec: number;
}

const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;
/** Length of a series of runs, in ms: long enough for the timer, and short enough to fit between two disturbances. */
const STRETCH_MS = 3;

/**
 * Number of passes. Code gets faster as the browser recompiles it, so passes continue while a size gets faster by at
 * least the factor below.
 */
const PASSES = { least: 6, most: 30 };
const CLEARLY_FASTER = 0.97;

/** Larger sizes are skipped once a series of a size takes this long, in ms. */
const LONGEST_STRETCH_MS = 1500;

/** Sizes whose series takes longer than this, in ms, get only one pass. */
const SLOW_STRETCH_MS = 200;

/**
 * Prepares batches of a size. Each returned function runs one batch. Together they represent all batches of that size.
 */
export type PrepareBatches = (size: number) => readonly (() => Promise<unknown>)[];

/**
 * Measures the best rate of each size over several passes, since other work on the machine can only slow a run down.
 */
export async function measureRates(prepare: PrepareBatches): Promise<RatePoint[]> {
  const candidates: Candidate[] = [];
  for (const size of SIZES) {
    const batches = prepare(size);
    const bestRunMs = await meanRunMs(batches);
    const stretchMs = bestRunMs * batches.length;
    if (stretchMs > LONGEST_STRETCH_MS && candidates.length > 0) break;
    candidates.push({ size, batches, isSlow: stretchMs > SLOW_STRETCH_MS, bestRunMs });
  }
  for (let pass = 0; pass < PASSES.most; pass++) {
    const isFaster = await improveAll(candidates, pass);
    if (!isFaster && pass >= PASSES.least) break;
  }
  return candidates.map(({ size, bestRunMs }) => ({ size, predictionsPerSec: (size * 1000) / bestRunMs }));
}

interface Candidate {
  readonly size: number;
  readonly batches: ReturnType<PrepareBatches>;
  readonly isSlow: boolean;
  bestRunMs: number;
}

/** Returns whether any size became clearly faster. */
async function improveAll(candidates: readonly Candidate[], pass: number): Promise<boolean> {
  let isFaster = false;
  for (const candidate of candidates) {
    if (candidate.isSlow && pass > 0) continue;
    const runMs = await meanRunMs(candidate.batches);
    if (runMs < candidate.bestRunMs * CLEARLY_FASTER) isFaster = true;
    candidate.bestRunMs = Math.min(candidate.bestRunMs, runMs);
  }
  return isFaster;
}

/** Runs each batch equally often, since batches of long items take longer. */
async function meanRunMs(batches: ReturnType<PrepareBatches>): Promise<number> {
  let elapsedMs = 0;
  let runs = 0;
  const startMs = performance.now();
  while (elapsedMs < STRETCH_MS) {
    for (const runOnce of batches) await runOnce();
    runs += batches.length;
    elapsedMs = performance.now() - startMs;
  }
  return elapsedMs / runs;
}

/** Returns the size with the best rate among the sizes up to `maxBatchSize`. */
export function fastestSize(curve: readonly RatePoint[], maxBatchSize: number): number {
  const allowed = curve.filter(({ size }) => size <= maxBatchSize);
  return allowed.reduce((best, point) => (point.predictionsPerSec > best.predictionsPerSec ? point : best), {
    size: 1,
    predictionsPerSec: 0,
  }).size;
}
