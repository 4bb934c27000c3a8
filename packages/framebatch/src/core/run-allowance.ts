/** Share of its running time that the engine may spend on batches that leave sooner than the next paint asks for. */
const EARNED_SHARE = 0.07;

/** Saved up for at most so many times what was earned last. */
const MOST_EARNINGS = 32;

/**
 * Rations the device time that `frame` spends on leaving early. Every run earns a share of its own time, so what is
 * spent stays below that share of all device time.
 */
export class RunAllowance {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  earned(runMs: number): void {
    this.#ms = Math.min(this.#ms + EARNED_SHARE * runMs, MOST_EARNINGS * EARNED_SHARE * runMs);
  }

  spent(ms: number): void {
    this.#ms -= ms;
  }
}
