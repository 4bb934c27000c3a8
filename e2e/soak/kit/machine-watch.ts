import { quantile } from "./quantile.js";

const EVERY_MS = 1000;
/**
 * The size of the probe: about 20 ms on a typical machine. A scheduler gives each thread a few milliseconds at a time, so a
 * shorter probe is often not interrupted, however many other threads wait.
 */
const STEPS = 10_000_000;
/** The machine counts as busy with other work if the probe takes at least this multiple of its shortest time. */
const BUSY = 3;

/** Times the same piece of work once a second. Other work on the machine makes it slower. */
export class MachineWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #costs: { readonly atMs: number; readonly costMs: number }[] = [];

  constructor() {
    this.#probe();
    this.#timer = setInterval(() => this.#probe(), EVERY_MS);
    this.#timer.unref();
  }

  /**
   * Returns the 95th percentile of the probe's times since `atMs`, as a multiple of the shortest time since the watch
   * began.
   */
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
    // Uses the result, so that the engine cannot skip the work.
    if (state !== 0) this.#costs.push({ atMs, costMs: performance.now() - atMs });
  }
}

export function isBusy(slowdown: number): boolean {
  return slowdown >= BUSY;
}
