/** How fast batches of one size go. */
export interface RatePoint {
  readonly size: number;
  readonly predictionsPerSec: number;
}

const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;
/** A stretch of runs is long enough for the timer, and short enough to fall between two disturbances. */
const STRETCH_MS = 3;

/** Code gets faster as the browser compiles it anew: passes go on while they make a size this much faster. */
const PASSES = { least: 6, most: 30 };
const CLEARLY_FASTER = 0.97;

/** Stop trying larger sizes once a stretch of one takes this long. */
const LONGEST_STRETCH_MS = 1500;

/** Above this one pass has to do. */
const SLOW_STRETCH_MS = 200;

/** Batches of a size with their inputs in place, each a call that runs it. Together they are as fast as all batches of that size. */
export type PrepareBatches = (size: number) => readonly (() => Promise<unknown>)[];

/** The best rate of each size over several passes: what else the machine does can only make a run slower. */
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

/** Whether a size has become clearly faster. */
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

/** Each batch as often as the others: those of long items take longer. */
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

/** The size with the best rate among those up to `maxBatchSize`. */
export function fastestSize(curve: readonly RatePoint[], maxBatchSize: number): number {
  const allowed = curve.filter(({ size }) => size <= maxBatchSize);
  return allowed.reduce((best, point) => (point.predictionsPerSec > best.predictionsPerSec ? point : best), {
    size: 1,
    predictionsPerSec: 0,
  }).size;
}
