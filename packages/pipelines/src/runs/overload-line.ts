import type { Cancel, Timer } from "@framebatch/host/clock.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";

/** Time until a full stage is asked again when no part of this pipeline is in it, in milliseconds. */
const RETRY_MS = 50;

/**
 * The same while parts are in it and it answers none of them, twice as long after each time. A part may hang there, but
 * where stages are pipelines, parts that ask often can keep each other out.
 */
const SILENT_MS = 1_000;

/** Parts that ask again when one has been answered. More than one, so that their number in the stage recovers. */
const ASK_AGAIN = 2;

/** A part that its stage rejected with `OVERLOADED`. */
interface Rejected {
  /** Asks the stage again. */
  ask(): void;
}

/**
 * Parts of streams that wait because their stage is overloaded. They ask again when the stage has answered another part
 * of this pipeline. If it has none, other callers keep it busy, and a part asks again from time to time; so it does, ever
 * more rarely, if those in the stage may hang. No timer is set while no part waits.
 */
export class OverloadLine {
  readonly #timer: Timer;
  readonly #waiting = new Set<Rejected>();
  #inStage = 0;
  /** Number of parts that may ask again. */
  #room = 0;
  #isDue = false;
  #silentMs = SILENT_MS;
  /** The delay that the timer was set with; `null` while none is set. */
  #delayMs: number | null = null;
  #cancelTimer: Cancel = () => undefined;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Whether the stage has more than one part of this pipeline. */
  get isShared(): boolean {
    return this.#inStage > 1;
  }

  /** Records that a part was passed to the stage. */
  asked(): void {
    this.#inStage += 1;
  }

  /** Records that a part has left the stage, which makes room. */
  answered(): void {
    this.#inStage -= 1;
    this.#silentMs = SILENT_MS;
    if (this.#waiting.size === 0) return;
    this.#room += ASK_AGAIN;
    if (this.#isDue) return;
    this.#isDue = true;
    // Whatever ends together has then left.
    afterMicrotask(() => this.#askAgain());
  }

  /** Records that the stage rejected a part with `OVERLOADED`. The part asks again unless `withdraw` removes it before. */
  rejected(part: Rejected): void {
    this.#inStage -= 1;
    this.#waiting.add(part);
    this.#watch();
  }

  withdraw(part: Rejected): void {
    if (this.#waiting.delete(part)) this.#watch();
  }

  #askAgain(): void {
    this.#setTimer(null);
    let left = Math.min(this.#room, this.#waiting.size);
    this.#room = 0;
    this.#isDue = false;
    for (const part of this.#waiting) {
      if (left-- === 0) break;
      this.#waiting.delete(part);
      part.ask();
    }
    this.#watch();
  }

  /** Sets the timer exactly while parts wait. */
  #watch(): void {
    const delayMs = this.#inStage === 0 ? RETRY_MS : this.#silentMs;
    this.#setTimer(this.#waiting.size === 0 ? null : delayMs);
  }

  #setTimer(delayMs: number | null): void {
    if (delayMs === this.#delayMs) return;
    this.#cancelTimer();
    this.#delayMs = delayMs;
    if (delayMs !== null) this.#cancelTimer = this.#timer.schedule(this.#timer.now() + delayMs, () => this.#retry());
  }

  #retry(): void {
    if (this.#inStage > 0) this.#silentMs *= 2;
    this.#room = 1;
    this.#askAgain();
  }
}
