import type { Cancel } from "@framebatch/host/clock.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import {
  type CompletedBatch,
  type Origin,
  type Priority,
  type QueueTicket,
  type RequestOptions,
  SETTLED_TICKET,
  type Sink,
  STAYS,
  type Ticket,
} from "@framebatch/batcher/queue/request.js";
import { superseded } from "@framebatch/batcher/requests/request-errors.js";
import type { Side } from "./side.js";

/** What a request needs of its router. */
export interface RequestRouter<Item, Result> {
  /** Returns the other side if it can answer now. */
  insteadOf(side: Side<Item, Result>): Side<Item, Result> | null;
  /**
   * Lets the request wait for a side that is still loading. Returns how to stop, or `null` if none is. Calls `moveTo`
   * when the side is ready, and `giveUp` when it fails or the request has no time left.
   */
  waitForSide(request: RoutedRequest<Item, Result>): Cancel | null;
  /** Whether a newer open request has the same key. */
  isSuperseded(request: RoutedRequest<Item, Result>): boolean;
  /** Notes that a side has accepted the request. Returns how to stop watching for an answer that is late. */
  accepted(request: RoutedRequest<Item, Result>, side: Side<Item, Result>): Cancel;
  /** Notes that the request moves to another side. */
  moved(to: Side<Item, Result>): void;
  /** Notes that the request has settled. @param side where its result comes from; `null` if it was rejected */
  settled(request: RoutedRequest<Item, Result>, side: Side<Item, Result> | null): void;
  /** Takes over an item from its caller. @throws when it cannot be taken over */
  take(item: Item): void;
  /** Returns a copy of an item, in memory of its own. @throws when it cannot be read */
  copyItem(item: Item): Item;
  /** Returns the error of a request that failed on both sides. */
  bothFailed(first: SideFailure, second: SideFailure): FramebatchError;
}

/** The options of a request, with the time at which its caller made it, and its number among all. */
export type TimedOptions = RequestOptions & { readonly sinceMs: number; readonly sequence: number };

/**
 * A caller's request, from its router's `enqueue` to its one outcome. At any time it is in at most one batcher. If that
 * side fails, it moves to the other one, once. Before that, it may leave the queue of a side that has not run it, once.
 */
export class RoutedRequest<Item, Result> implements Sink<Result>, Ticket {
  readonly #router: RequestRouter<Item, Result>;
  readonly #sink: Sink<Result>;
  #item: Item;
  #options: TimedOptions;
  #side: Side<Item, Result>;
  #ticket: QueueTicket = SETTLED_TICKET;
  #firstFailure: SideFailure | null = null;
  /** The side for which it leaves the queue of its own. */
  #leavesFor: Side<Item, Result> | null = null;
  /** Why its caller has cancelled it; `null` if it has not. */
  #cancellation: { readonly reason: unknown } | null = null;
  #stopWatching: Cancel = () => undefined;
  /** When its side has accepted it. */
  acceptedAtMs = -Infinity;

  constructor(
    router: RequestRouter<Item, Result>,
    item: Item,
    sink: Sink<Result>,
    options: TimedOptions,
    side: Side<Item, Result>,
  ) {
    this.#router = router;
    this.#item = item;
    this.#sink = sink;
    this.#options = options;
    this.#side = side;
  }

  get options(): TimedOptions {
    return this.#options;
  }

  /** Whether a side has failed it, so that it is on its last one. */
  get hasMoved(): boolean {
    return this.#firstFailure !== null;
  }

  /** Enqueues the request on its side. */
  send(): void {
    this.#side.sent(this);
    // What would be late on the device may be in time on the server.
    const mayBeTrial = this.#side.origin === "server" || this.#router.insteadOf(this.#side) === null;
    this.#ticket = this.#side.queue.enqueue(this.#item, this, { ...this.#options, mayBeTrial });
    if (this.#ticket !== SETTLED_TICKET) this.#stopWatching = this.#router.accepted(this, this.#side);
  }

  resolve(result: Result, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    this.#stopWatching();
    // A result from the cache says nothing about the side.
    if (batch === null) this.#side.ended(this, null);
    else this.#side.answered();
    if (this.#cancellation !== null) return this.#end(null);
    this.#router.settled(this, this.#side);
    this.#sink.resolve(result, batch, enqueuedAtMs);
  }

  reject(error: unknown): void {
    this.#stopWatching();
    if (this.#leavesFor !== null) return this.#arrive(this.#leavesFor);
    const failure = this.#cancellation === null ? this.#side.failureIn(error) : null;
    this.#side.ended(this, failure);
    if (failure === null || this.#cancellation !== null) return this.#end(error);
    const second = { origin: this.#side.origin, error: failure };
    if (this.#firstFailure !== null) return this.#end(this.#secondError(this.#firstFailure, second));
    if (this.#router.isSuperseded(this)) return this.supersede();
    this.#firstFailure = second;
    const other = this.#router.insteadOf(this.#side);
    if (other === null) this.#waitForSide(error);
    else if (!this.#asksAgain || this.#tries(() => this.#copyItem())) this.moveTo(other);
  }

  /** Sends the request to its second side. */
  moveTo(side: Side<Item, Result>): void {
    this.#stopWatching();
    this.#side = side;
    this.#router.moved(side);
    this.send();
  }

  /**
   * Leaves the queue of its side if another one is predicted to answer sooner. Its own side has not failed it: if the
   * other one does, it comes back.
   */
  leaveFor(side: Side<Item, Result>): void {
    if (side.predictMs(this.#item) < this.#side.predictMs(this.#item)) this.leaveQueueFor(side);
  }

  /** Leaves the queue of its side for another one, if it is still in it. */
  leaveQueueFor(side: Side<Item, Result>): void {
    if (this.#side === side || this.#ticket.state !== "queued") return;
    this.#leavesFor = side;
    this.#ticket.cancel(null);
  }

  /** Rejects a request that waits for a side, with the error of its first one. */
  giveUp(): void {
    this.#end(this.#firstFailure?.error);
  }

  /** Rejects a request that is in no batcher, because there is a newer one with its key. */
  supersede(): void {
    this.#end(superseded(this.#options.key ?? ""));
  }

  cancel(reason: unknown): void {
    this.#cancellation = { reason };
    this.#ticket.cancel(reason);
  }

  setPriority(priority: Priority): void {
    this.#options = { ...this.#options, priority };
    this.#ticket.setPriority(priority);
  }

  /**
   * Leaves a side that is late, if it is on it, with a copy of the item, because the batch on that side may still run.
   */
  leaveLate(side: Side<Item, Result>): void {
    if (this.#side !== side) return;
    this.#copyItem();
    this.#ticket.cancel(lateServer());
  }

  #arrive(side: Side<Item, Result>): void {
    this.#leavesFor = null;
    // If its own side is tried after an outage, another request may try now.
    this.#side.ended(this, null);
    this.moveTo(side);
  }

  #waitForSide(error: unknown): void {
    const stop = this.#router.waitForSide(this);
    if (stop === null) return this.#end(error);
    this.#stopWatching = stop;
    this.#ticket = { cancel: (reason) => this.#end(reason), setPriority: () => undefined };
    // An item that no side had room for stays the caller's, in case none has.
    this.#tries(() => (this.#isRefused ? this.#copyItem() : this.#router.take(this.#item)));
  }

  /** Whether its first side had no room for it. */
  get #isRefused(): boolean {
    return this.#firstFailure !== null && isOverload(this.#firstFailure);
  }

  /** Whether a pipeline's stream makes it again with the same item, because there was no room for it. */
  get #asksAgain(): boolean {
    return this.#options[STAYS] === true && this.#isRefused;
  }

  /** Returns the error of a request that failed on both sides: for one that asks again, that there was no room. */
  #secondError(first: SideFailure, second: SideFailure): FramebatchError {
    return this.#asksAgain ? withOther(first, second) : this.#router.bothFailed(first, second);
  }

  #copyItem(): void {
    this.#item = this.#router.copyItem(this.#item);
  }

  /** Calls a function, and rejects the request with what it throws. Returns whether it threw nothing. */
  #tries(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      this.#end(error);
      return false;
    }
  }

  /** Rejects the request. Listeners hear of an outage before its requests do, and may have cancelled this one. */
  #end(error: unknown): void {
    this.#stopWatching();
    this.#ticket = SETTLED_TICKET;
    this.#router.settled(this, null);
    this.#sink.reject(this.#cancellation === null ? error : this.#cancellation.reason);
  }
}

function lateServer(): FramebatchError {
  return new FramebatchError(
    "REMOTE_UNREACHABLE",
    "expected the server to answer a request within half of the time that this one had left, got silence; check the server, or allow more time",
  );
}

/** The failure of one side. */
export interface SideFailure {
  readonly origin: Origin;
  readonly error: FramebatchError;
}

/**
 * Returns the error of the preferred side, which also names the failure of the other. If only one side was overloaded,
 * the error is that of the other one: it had room for the request, and may have taken the item over from the caller.
 */
export function bothFailed(preferred: SideFailure, other: SideFailure): FramebatchError {
  return isOverload(preferred) && !isOverload(other) ? withOther(other, preferred) : withOther(preferred, other);
}

/** Whether a side had no room for a request. */
function isOverload({ error }: SideFailure): boolean {
  return error.code === "OVERLOADED";
}

/** Returns the error of one side, which also names the failure of the other. */
function withOther({ origin, error }: SideFailure, other: SideFailure): FramebatchError {
  const { code, message, details } = error;
  return new FramebatchError(code, `${origin}: ${message} (the ${other.origin} failed too: ${other.error.message})`, {
    cause: other.error,
    details: { ...details, otherOrigin: other.origin, otherCode: other.error.code },
  });
}
