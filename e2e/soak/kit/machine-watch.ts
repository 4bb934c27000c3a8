import { quantile } from "./quantile.js";

const EVERY_MS = 100;
/** About a millisecond on a usual machine. */
const STEPS = 500_000;
/** Times as long as at its quickest: beyond this a machine has more to do than the soak gives it. */
const BUSY = 3;

/** Times one and the same piece of work, ten times a second: what else the machine has to do makes it take longer. */
export class MachineWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #costs: { readonly atMs: number; readonly costMs: number }[] = [];

  constructor() {
    this.#probe();
    this.#timer = setInterval(() => this.#probe(), EVERY_MS);
    this.#timer.unref();
  }

  /** Since then: the 95th percentile of the work's time, as a multiple of its shortest time since the watch began. */
  slowdownSince(atMs: number): number {
    const costs = this.#costs.map(({ costMs }) => costMs);
    const since = this.#costs.filter((probe) => probe.atMs >= atMs).map(({ costMs }) => costMs);
    return (quantile(since, 0.95) ?? 1) / Math.min(...costs);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #probe(): void {
    const atMs = performance.now();
    let state = 1;
    for (let step = 0; step < STEPS; step += 1) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    // The engine may not leave out work whose outcome is read.
    if (state !== 0) this.#costs.push({ atMs, costMs: performance.now() - atMs });
  }
}

export function isBusy(slowdown: number): boolean {
  return slowdown >= BUSY;
}
