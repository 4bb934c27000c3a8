import type { Cancel, Clock } from "./clock.js";

/** Share of the worst lateness that remains each time it is eased. */
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

  /**
   * Lets past lateness count for less. Not as an alarm rings: a margin that shrank then would have the same wait begin
   * again. And not by alarms at all: where the margin leaves no time to wait, none is ever set.
   */
  ease(): void {
    this.#latenessMs *= LATENESS_KEPT;
  }

  #fired(atMs: number): void {
    this.#set = null;
    this.#latenessMs = Math.max(this.#clock.now() - atMs, this.#latenessMs);
    this.#ring();
  }
}
