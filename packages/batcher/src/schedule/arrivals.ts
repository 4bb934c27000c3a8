import type { Cancel, Clock } from "@framebatch/host/clock.js";
import { type Guard, rejectNone } from "../errors/guard.js";

/** Time constant of the average arrival rate, in milliseconds: about six frames. */
const RATE_MEMORY_MS = 100;

/** Weight of a new arrival in the average share of returns. */
const ARRIVALS_SMOOTHING = 1 / 32;

/** Share of arrivals that must be returns before the load counts as a closed loop. */
const CLOSED_LOOP_SHARE = 0.9;

/** Bursts that follow each other within this time are a steady load, such as one burst per frame, in milliseconds. */
const STEADY_WITHIN_MS = 25;

/**
 * Learns the arrival pattern: the rate in requests per millisecond, and whether callers form a closed loop, that is,
 * wait for their results before they enqueue again. A caller that waits for a result cannot join a batch. In a closed
 * loop, therefore, no more requests are expected once the callers answered last have enqueued again.
 *
 * A return is the next request of a caller that was just answered. A request counts as a return if it arrives among the
 * microtasks after the answers. At most as many requests count as there were answers. The rule compares no times, so it
 * also holds on a slow page.
 */
export class Arrivals {
  #ratePerMs = 0;
  #lastAtMs = -Infinity;
  #answered = 0;
  #answeredAtMs = 0;
  #msPerReturn = 0;
  #returned = 0;
  /** Whether callers answered last may still return. */
  #mayReturn = false;
  /**
   * Whether all callers answered last have enqueued again, and no other request has arrived since. Only this class
   * changes it.
   */
  haveReturned = false;
  /** Starts at 1 (assume a closed loop): batches do not wait until independent arrivals are seen. */
  #returnShare = 1;
  #burstAtMs = -Infinity;
  /** Whether the newest burst found nothing queued or running, and is not part of a steady load. */
  #isBurstLone = false;

  /** Records that the next request is the first of a burst. @param isAtRest whether nothing is queued or running */
  burstBegan(nowMs: number, isAtRest: boolean): void {
    this.#isBurstLone = isAtRest && nowMs - this.#burstAtMs > STEADY_WITHIN_MS;
    this.#burstAtMs = nowMs;
  }

  /** Records a request. Returns whether its caller has just been answered. */
  arrived(nowMs: number): boolean {
    this.#ratePerMs = this.#ratePerMs * Math.exp((this.#lastAtMs - nowMs) / RATE_MEMORY_MS) + 1 / RATE_MEMORY_MS;
    this.#lastAtMs = nowMs;
    const isReturn = this.#mayReturn && this.#returned < this.#answered;
    if (isReturn) {
      this.#returned += 1;
      this.haveReturned = this.#returned === this.#answered;
      if (this.haveReturned) {
        const ms = (nowMs - this.#answeredAtMs) / this.#answered;
        this.#msPerReturn += ARRIVALS_SMOOTHING * (ms - this.#msPerReturn);
      }
    } else {
      this.#answered = 0;
      this.#returned = 0;
      this.haveReturned = false;
    }
    // The callers of a closed loop first arrive in such a burst, too.
    if (isReturn || !this.#isBurstLone)
      this.#returnShare += ARRIVALS_SMOOTHING * ((isReturn ? 1 : 0) - this.#returnShare);
    return isReturn;
  }

  /** Records that `requests` have been answered. Their callers may return until `endReturns`. */
  answered(requests: number, nowMs: number): void {
    const open = this.#mayReturn ? this.#answered - this.#returned : 0;
    this.#answered = open + requests;
    this.#answeredAtMs = nowMs;
    this.#returned = 0;
    this.haveReturned = false;
    this.#mayReturn = true;
  }

  /** Records that no further request counts as a return until the next answers. */
  endReturns(): void {
    this.#mayReturn = false;
  }

  /** Number of callers answered last that have enqueued again; `Infinity` when all of them have. */
  get returned(): number {
    return this.haveReturned ? Infinity : this.#returned;
  }

  /** Time that the page takes per caller to handle a result and enqueue again, in milliseconds. */
  get msPerReturn(): number {
    return this.#msPerReturn;
  }

  /**
   * Whether nearly all requests come from callers that have just been answered, so that no other request is expected.
   */
  get isClosedLoop(): boolean {
    return this.#returnShare >= CLOSED_LOOP_SHARE;
  }

  /** Recent arrival rate, in requests per millisecond. */
  ratePerMs(nowMs: number): number {
    return this.#ratePerMs * Math.exp((this.#lastAtMs - nowMs) / RATE_MEMORY_MS);
  }

  /**
   * Whether all requests since `oldestAtMs` came in one burst that no other request is expected to join: it found
   * nothing queued or running, and no caller has returned.
   */
  isBurstAlone(oldestAtMs: number): boolean {
    return oldestAtMs >= this.#burstAtMs && this.#isBurstLone && this.#returned === 0;
  }
}

/**
 * Number of microtask turns without another request after which no other is expected in this task. A caller in an
 * `async` function that has been answered needs one to enqueue again, and three more for each `async` function around
 * it.
 */
const QUIET_TURNS = 16;

/**
 * Waits in turns of the microtask queue until a count is `Infinity`, or does not grow for `QUIET_TURNS` turns. Callers
 * that depend on each other's microtasks arrive one by one. At most one wait is under way.
 */
export class QuietWait {
  /** The end of the wait that is under way; `null` if none is. Only this class changes it. */
  underWay: Cancel | null = null;
  readonly #clock: Clock;
  readonly #guard: Guard;
  readonly #recover: (error: Error) => number;
  readonly #count: () => number;
  readonly #onEnd: () => void;
  #before = 0;
  #left = QUIET_TURNS;

  /**
   * @param recover rejects every request that depends on a wait, after `count`, `onEnd` or the clock has thrown in it
   * @param count returns the number of requests so far, or `Infinity` when no other is expected
   * @param onEnd called at the end of each wait that is not cancelled
   */
  constructor(clock: Clock, guard: Guard, recover: (error: Error) => number, count: () => number, onEnd: () => void) {
    this.#clock = clock;
    this.#guard = guard;
    this.#recover = recover;
    this.#count = count;
    this.#onEnd = onEnd;
  }

  /** Begins a wait, unless one is under way. */
  start(): void {
    if (this.underWay !== null) return;
    this.#before = this.#count();
    this.#left = QUIET_TURNS;
    this.underWay = this.#clock.afterMicrotasks(this.#turn);
  }

  cancel(): void {
    const cancel = this.underWay;
    if (cancel === null) return;
    this.underWay = null;
    try {
      cancel();
    } catch (thrown) {
      this.#guard.caught(thrown, rejectNone);
    }
  }

  /** Returns whether to wait for another turn. */
  readonly #turn = (): boolean => {
    try {
      const now = this.#count();
      this.#left = now > this.#before ? QUIET_TURNS : this.#left - 1;
      this.#before = now;
      if (now !== Infinity && this.#left > 0) return true;
      this.underWay = null;
      this.#onEnd();
    } catch (thrown) {
      this.#guard.caught(thrown, this.#recover);
    }
    return false;
  };
}
