/** How fast batches of one size go. */
export interface RatePoint {
  readonly size: number;
  readonly predictionsPerSec: number;
}

const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;
/** A stretch of runs is long enough for the timer, and short enough to fall between two disturbances. */
const STRETCH_MS = 3;
const PASSES = 6;

/** Stop trying larger sizes once a single run takes this long: no page would wait for it. */
const LONGEST_RUN_MS = 1500;

/** Above this, a run is its own stretch, and one pass has to do. */
const SLOW_RUN_MS = 200;

/** Makes a batch of a size, its inputs in place; what comes back runs it once. */
export type PrepareBatch = (size: number) => () => Promise<unknown>;

/** The best rate of each size over several passes: what else the machine does can only make a run slower. */
export async function measureRates(prepare: PrepareBatch): Promise<RatePoint[]> {
  const batches: Batch[] = [];
  for (const size of SIZES) {
    const runOnce = prepare(size);
    const warmMs = await timed(runOnce);
    if (warmMs > LONGEST_RUN_MS && batches.length > 0) break;
    batches.push({ size, runOnce, isSlow: warmMs > SLOW_RUN_MS, bestRunMs: Number.POSITIVE_INFINITY });
  }
  for (let pass = 0; pass < PASSES; pass++) {
    for (const batch of batches) await improve(batch, pass);
  }
  return batches.map(({ size, bestRunMs }) => ({ size, predictionsPerSec: (size * 1000) / bestRunMs }));
}

interface Batch {
  readonly size: number;
  readonly runOnce: () => Promise<unknown>;
  readonly isSlow: boolean;
  bestRunMs: number;
}

async function improve(batch: Batch, pass: number): Promise<void> {
  if (batch.isSlow && pass > 0) return;
  batch.bestRunMs = Math.min(batch.bestRunMs, await meanRunMs(batch.runOnce));
}

async function meanRunMs(runOnce: () => Promise<unknown>): Promise<number> {
  let elapsedMs = 0;
  let runs = 0;
  const startMs = performance.now();
  while (elapsedMs < STRETCH_MS) {
    await runOnce();
    elapsedMs = performance.now() - startMs;
    runs++;
  }
  return elapsedMs / runs;
}

async function timed(runOnce: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await runOnce();
  return performance.now() - startMs;
}

/** The size with the best rate among those up to `maxBatchSize`. */
export function fastestSize(curve: readonly RatePoint[], maxBatchSize: number): number {
  const allowed = curve.filter(({ size }) => size <= maxBatchSize);
  return allowed.reduce((best, point) => (point.predictionsPerSec > best.predictionsPerSec ? point : best), {
    size: 1,
    predictionsPerSec: 0,
  }).size;
}
