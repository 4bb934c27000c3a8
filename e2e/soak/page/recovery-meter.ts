/** One stretch without answers. */
export interface Outage {
  /** From the last good answer to the moment when the SDK says that it has lost its worker or device. */
  readonly detectMs: number;
  /** From there to the next good answer. */
  readonly recoverMs: number;
}

/** Times how a model comes back. All times are of one clock, in milliseconds. */
export class RecoveryMeter {
  readonly outages: Outage[] = [];
  #lastGoodAtMs = 0;
  #lost: { readonly atMs: number; readonly detectMs: number } | null = null;

  /** The SDK says that it recovers. While it does, another death belongs to the same outage. */
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
