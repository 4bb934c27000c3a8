import { OrderedQueue } from "../queue/ordered-queue.js";
import type { Cancel, Timer } from "@framebatch/host/clock.js";
import { type Guard, guardedTimer } from "../errors/guard.js";
import { type QueuedRequest, timesOutBefore } from "../queue/queued-request.js";

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
  readonly #clock: Timer;
  readonly #guard: Guard;
  readonly #expire: Expire<Item, Result>;
  readonly #open = new OrderedQueue<QueuedRequest<Item, Result>>(timesOutBefore, ({ state }) => state !== "settled");
  #timer: { readonly atMs: number; readonly cancel: Cancel } | null = null;

  constructor(clock: Timer, guard: Guard, expire: Expire<Item, Result>) {
    this.#clock = guardedTimer(clock, guard, this.#expireAll);
    this.#guard = guard;
    this.#expire = expire;
  }

  /** Watches an open request, if it has a timeout. */
  watch(request: QueuedRequest<Item, Result>): void {
    if (request.timeoutAtMs === Infinity) return;
    this.#open.push(request);
    this.#arm();
  }

  /** Must be called when a watched request has settled. Clears the timer after the last one. */
  settled({ timeoutAtMs }: QueuedRequest<Item, Result>): void {
    if (timeoutAtMs === Infinity) return;
    this.#open.removed();
    this.#arm();
  }

  /** Expires every request that is due now, whether or not the timer has fired. */
  expireDue(): void {
    if (this.#open.size === 0) return;
    const nowMs = this.#clock.now();
    for (let next = this.#open.head(); next !== undefined && next.timeoutAtMs <= nowMs; next = this.#open.head()) {
      this.#expire(next, null);
    }
  }

  readonly #expireAll = (error: Error): number => {
    let count = 0;
    for (let next = this.#open.head(); next !== undefined; next = this.#open.head()) count += this.#expire(next, error);
    return count;
  };

  #arm(): void {
    const next = this.#open.head();
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
}
