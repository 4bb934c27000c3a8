const KEPT_SAMPLES = 50;
const SKIPPED_SAMPLES = 2;
const REFRESH_INTERVAL_MS = 5000;

interface Sample {
  readonly size: number;
  readonly runMs: number;
  readonly headWaitMs: number;
}

/** BentoML's estimate of the model's run time: an ordinary least-squares line through the last 50 batches. */
export class CorkOptimizer {
  perItemMs: number;
  fixedMs: number;
  waitMs = 0;
  readonly #samples: Sample[] = [];
  #seen = 0;
  #refreshedAtMs = -Infinity;

  constructor(maxLatencyMs: number) {
    this.perItemMs = Math.min(2000, (maxLatencyMs * 2) / 30);
    this.fixedMs = Math.min(1000, maxLatencyMs / 30);
  }

  record(sample: Sample, nowMs: number): void {
    if (this.#seen++ < SKIPPED_SAMPLES) return;
    this.#samples.push(sample);
    if (this.#samples.length > KEPT_SAMPLES) this.#samples.shift();
    if (nowMs - this.#refreshedAtMs < REFRESH_INTERVAL_MS) return;
    this.#refreshedAtMs = nowMs;
    this.refresh();
  }

  refresh(): void {
    const count = this.#samples.length;
    if (count === 0) return;
    const meanSize = mean(this.#samples.map((sample) => sample.size));
    const meanMs = mean(this.#samples.map((sample) => sample.runMs));
    let spread = 0;
    let joint = 0;
    for (const { size, runMs } of this.#samples) {
      spread += (size - meanSize) ** 2;
      joint += (size - meanSize) * (runMs - meanMs);
    }
    // If every batch had the same size, least squares gives the shortest of the vectors that fit.
    const slope = spread > 1e-9 ? joint / spread : (meanMs * meanSize) / (meanSize ** 2 + 1);
    this.perItemMs = Math.max(1e-3, slope);
    this.fixedMs = Math.max(0, meanMs - slope * meanSize);
    this.waitMs = mean(this.#samples.map((sample) => sample.headWaitMs));
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
