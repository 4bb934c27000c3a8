import type { Cancel, Timer } from "@framebatch/host/clock.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";

/** Time until a full stage is asked again when no part of this pipeline is in it, in milliseconds. */
const RETRY_MS = 50;

/** Parts that ask again when one has been answered. More than one, so that their number in the stage recovers. */
const ASK_AGAIN = 2;

/** A part that its stage rejected with `OVERLOADED`. */
interface Rejected {
  /** Asks the stage again. */
  ask(): void;
}

/**
 * Parts of streams that wait because their stage is overloaded. They ask again when the stage has answered another part
 * of this pipeline. If it has none, other callers keep it busy, and a part asks again from time to time. No timer is set
 * while no part waits.
 */
export class OverloadLine {
  readonly #timer: Timer;
  readonly #waiting = new Set<Rejected>();
  #inStage = 0;
  /** Number of parts that may ask again. */
  #room = 0;
  #isDue = false;
  #cancelTimer: Cancel | null = null;

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

  /** Sets the timer exactly while parts wait and none is in the stage. */
  #watch(): void {
    const isNeeded = this.#waiting.size > 0 && this.#inStage === 0;
    if (isNeeded === (this.#cancelTimer !== null)) return;
    this.#cancelTimer?.();
    this.#cancelTimer = isNeeded ? this.#timer.schedule(this.#timer.now() + RETRY_MS, () => this.#retry()) : null;
  }

  #retry(): void {
    this.#cancelTimer = null;
    this.#room = 1;
    this.#askAgain();
  }
}
