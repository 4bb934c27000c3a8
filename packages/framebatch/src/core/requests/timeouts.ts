import { OrderedQueue } from "../queue/ordered-queue.js";
import type { Cancel, Clock } from "../clock.js";
import { type Guard, guardedClock } from "../guard.js";
import type { QueuedRequest } from "../queue/queued-request.js";

/**
 * Expires a request. `error` is the reason why its timeout can no longer be watched; `null` if the timeout has passed.
 * Returns 1, or 0 if the request has already settled.
 */
type Expire<Item, Result> = (request: QueuedRequest<Item, Result>, error: Error | null) => 0 | 1;

/**
 * Calls `expire` for each request that has not settled by its `timeoutAtMs`, in order of time. Sets one timer at a
 * time, and none while no request with a timeout is open. If the clock fails, every watched request expires.
 */
export class Timeouts<Item, Result> {
  readonly #clock: Clock;
  readonly #guard: Guard;
  readonly #expire: Expire<Item, Result>;
  readonly #open = new OrderedQueue<QueuedRequest<Item, Result>>((a, b) => a.timeoutAtMs < b.timeoutAtMs);
  #timer: { readonly atMs: number; readonly cancel: Cancel } | null = null;

  constructor(clock: Clock, guard: Guard, expire: Expire<Item, Result>) {
    this.#clock = guardedClock(clock, guard, this.#expireAll);
    this.#guard = guard;
    this.#expire = expire;
  }

  watch(request: QueuedRequest<Item, Result>): void {
    this.#open.push(request);
    this.#arm();
  }

  /** Must be called when requests have settled. Drops them, and clears the timer after the last one. */
  settled(): void {
    if (this.#open.size > 0) this.#arm();
  }

  /** Expires every request that is due now, whether or not the timer has fired. */
  expireDue(): void {
    if (this.#open.size === 0) return;
    const nowMs = this.#clock.now();
    for (let next = this.#next(); next !== undefined && next.timeoutAtMs <= nowMs; next = this.#next()) {
      this.#expire(next, null);
    }
  }

  readonly #expireAll = (error: Error): number => {
    const watched: QueuedRequest<Item, Result>[] = [];
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) watched.push(next);
    return watched.reduce((count, request) => count + this.#expire(request, error), 0);
  };

  #arm(): void {
    const next = this.#next();
    if (this.#timer?.atMs === next?.timeoutAtMs) return;
    this.#timer?.cancel();
    this.#timer = null;
    if (next !== undefined) this.#guard.run(() => this.#setFor(next.timeoutAtMs), this.#expireAll);
  }

  #setFor(atMs: number): void {
    this.#timer = { atMs, cancel: this.#clock.schedule(atMs, () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = null;
    this.expireDue();
    this.#arm();
  }

  /** Returns the open request with the earliest timeout. Drops settled requests on the way. */
  #next(): QueuedRequest<Item, Result> | undefined {
    while (this.#open.peek()?.state === "settled") this.#open.pop();
    return this.#open.peek();
  }
}
