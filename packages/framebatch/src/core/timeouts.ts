import { OrderedQueue } from "./ordered-queue.js";
import type { Cancel, Clock } from "./clock.js";
import type { QueuedRequest } from "./queued-request.js";

/**
 * Calls `expire` for each request that has not settled by its `timeoutAtMs`, in order. One timer at a time, and none
 * while no request with a time limit is open.
 */
export class Timeouts<Item, Result> {
  readonly #clock: Clock;
  readonly #expire: (request: QueuedRequest<Item, Result>) => void;
  readonly #open = new OrderedQueue<QueuedRequest<Item, Result>>((a, b) => a.timeoutAtMs < b.timeoutAtMs);
  #timer: { readonly atMs: number; readonly cancel: Cancel } | null = null;

  constructor(clock: Clock, expire: (request: QueuedRequest<Item, Result>) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  watch(request: QueuedRequest<Item, Result>): void {
    this.#open.push(request);
    this.#arm();
  }

  /** To be called when requests have settled: drops them, and the timer with the last. */
  settled(): void {
    if (this.#open.size > 0) this.#arm();
  }

  /** Expires all that is due by now, whether the timer has fired or is late. */
  expireDue(): void {
    if (this.#open.size === 0) return;
    const nowMs = this.#clock.now();
    for (let next = this.#next(); next !== undefined && next.timeoutAtMs <= nowMs; next = this.#next()) {
      this.#expire(next);
    }
  }

  #arm(): void {
    const next = this.#next();
    if (this.#timer !== null && this.#timer.atMs === next?.timeoutAtMs) return;
    this.#timer?.cancel();
    this.#timer = null;
    if (next === undefined) return;
    const cancel = this.#clock.schedule(next.timeoutAtMs, () => this.#fire());
    this.#timer = { atMs: next.timeoutAtMs, cancel };
  }

  #fire(): void {
    this.#timer = null;
    this.expireDue();
    this.#arm();
  }

  /** The open request with the earliest limit. Settled ones are dropped on the way. */
  #next(): QueuedRequest<Item, Result> | undefined {
    while (this.#open.peek()?.state === "settled") this.#open.pop();
    return this.#open.peek();
  }
}
