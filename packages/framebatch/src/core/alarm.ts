import type { Cancel, Clock } from "./clock.js";

/** Share of the worst lateness that remains with each alarm that is on time. */
const LATENESS_KEPT = 0.9;

/** One timer that can be moved forward, and that remembers how late timers come here. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #set: { readonly atMs: number; readonly cancel: Cancel } | null = null;
  #latenessMs = 0;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** By how much alarms have been late of late, in milliseconds. */
  get latenessMs(): number {
    return this.#latenessMs;
  }

  /** Rings at `atMs`, or before where it is set for sooner already. `Infinity` sets none. */
  setFor(atMs: number): void {
    if (atMs === Infinity) return this.clear();
    if (this.#set !== null && this.#set.atMs <= atMs) return;
    this.clear();
    this.#set = { atMs, cancel: this.#clock.schedule(atMs, () => this.#fired(atMs)) };
  }

  clear(): void {
    this.#set?.cancel();
    this.#set = null;
  }

  #fired(atMs: number): void {
    this.#set = null;
    this.#latenessMs = Math.max(this.#clock.now() - atMs, LATENESS_KEPT * this.#latenessMs);
    this.#ring();
  }
}
