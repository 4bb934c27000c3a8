/** A period without answers. */
export interface Outage {
  /** From the last correct answer to the moment at which the SDK reports the loss of its worker or device. */
  readonly detectMs: number;
  /** From the report of the loss to the next correct answer. */
  readonly recoverMs: number;
}

/** Measures recoveries of a model. All times are of the same clock, in milliseconds. */
export class RecoveryMeter {
  readonly outages: Outage[] = [];
  #lastGoodAtMs = 0;
  #lost: { readonly atMs: number; readonly detectMs: number } | null = null;

  /** Records that the SDK reports a loss. A further loss before the next answer belongs to the same outage. */
  lost(nowMs: number): void {
    this.#lost ??= { atMs: nowMs, detectMs: nowMs - this.#lastGoodAtMs };
  }

  good(nowMs: number): void {
    this.#lastGoodAtMs = nowMs;
    if (this.#lost === null) return;
    const { atMs, detectMs } = this.#lost;
    this.#lost = null;
    this.outages.push({ detectMs, recoverMs: nowMs - atMs });
  }
}
