import type { ItemShape } from "../shape.js";
import { type Priority, rankOf } from "./priority.js";
import type { Sink, Ticket } from "./request.js";
import type { SharedRow } from "./shared-row.js";

/** Waits in the queue; is part of a batch that was handed to the engine; or has had its one outcome. */
export type RequestState = "queued" | "running" | "settled";

/** Who carries out what a caller asks of its ticket. */
export interface RequestOwner<Item, Result> {
  cancel(request: QueuedRequest<Item, Result>, reason: unknown): void;
  setRank(request: QueuedRequest<Item, Result>, rank: number): void;
}

/** One caller's unit of work, from `enqueue` to its one outcome. Only the batcher changes it. */
export class QueuedRequest<Item, Result> implements Ticket {
  readonly #owner: RequestOwner<Item, Result>;
  readonly item: Item;
  readonly shape: ItemShape;
  readonly sink: Sink<Result>;
  readonly key: string | undefined;
  readonly contentKey: string | undefined;
  readonly enqueuedAtMs: number;
  /** Order of arrival, its own or that of the request whose place it took. */
  sequence: number;
  /** Since when it has waited, or the request whose place it took. */
  waitingSinceMs: number;
  /** Last instant for the result by `timeoutMs`; `Infinity` without one. */
  readonly timeoutAtMs: number;
  /** Last instant for the result by the batcher's `maxLatencyMs`; `Infinity` without one. */
  readonly objectiveAtMs: number;
  /** Place in its priority's order: the earlier of the two above, or the end of its patience. Always finite. */
  dueMs: number;
  /** Index into `PRIORITIES`. */
  rank: number;
  state: RequestState = "queued";
  /** The row that it shares with identical requests, where it does. */
  row: SharedRow<Item, Result> | undefined = undefined;
  /** The row that it stands for in the queue: then it is nobody's request, but all those on that row. */
  standsFor: SharedRow<Item, Result> | undefined = undefined;
  /** Whether its `enqueue` has not returned yet. An outcome waits until it has. */
  isEntering = true;

  constructor(owner: RequestOwner<Item, Result>, fields: RequestFields<Item, Result>) {
    this.#owner = owner;
    this.item = fields.item;
    this.shape = fields.shape;
    this.sink = fields.sink;
    this.key = fields.key;
    this.contentKey = fields.contentKey;
    this.enqueuedAtMs = fields.enqueuedAtMs;
    this.sequence = fields.sequence;
    this.timeoutAtMs = fields.timeoutAtMs;
    this.objectiveAtMs = fields.objectiveAtMs;
    this.waitingSinceMs = fields.enqueuedAtMs;
    this.dueMs = dueOf(this);
    this.rank = fields.rank;
  }

  /** After this its result is of no use; `Infinity` where it always is. */
  get deadlineMs(): number {
    return Math.min(this.timeoutAtMs, this.objectiveAtMs);
  }

  /**
   * Stands where a request of the same priority stood. Without that, a caller that asks anew faster than the queue moves would
   * go to its end each time, and never be served.
   */
  takePlaceOf(older: QueuedRequest<Item, Result>): void {
    if (older.rank === this.rank) this.standAt(older);
  }

  /** Stands where another request came in. Not to be called once it is queued: its orders would not notice. */
  standAt({ sequence, waitingSinceMs }: Pick<QueuedRequest<Item, Result>, "sequence" | "waitingSinceMs">): void {
    this.sequence = sequence;
    this.waitingSinceMs = waitingSinceMs;
    this.dueMs = dueOf(this);
  }

  cancel(reason: unknown): void {
    this.#owner.cancel(this, reason);
  }

  setPriority(priority: Priority): void {
    this.#owner.setRank(this, rankOf(priority));
  }
}

/** What a request is made of. */
export interface RequestFields<Item, Result> {
  readonly item: Item;
  readonly shape: ItemShape;
  readonly sink: Sink<Result>;
  readonly key: string | undefined;
  readonly contentKey: string | undefined;
  readonly enqueuedAtMs: number;
  readonly sequence: number;
  readonly timeoutAtMs: number;
  readonly objectiveAtMs: number;
  readonly rank: number;
}

/**
 * A request without a deadline is ordered as if it had one this long after its arrival, in milliseconds. Being finite,
 * it keeps an endless stream of requests with deadlines from starving the ones without.
 */
const PATIENCE_MS = 10_000;

function dueOf<Item, Result>(request: QueuedRequest<Item, Result>): number {
  return Math.min(request.timeoutAtMs, request.objectiveAtMs, request.waitingSinceMs + PATIENCE_MS);
}

/** Whether any request still waits for a row. */
export function isWanted<Item, Result>({ state, standsFor }: QueuedRequest<Item, Result>): boolean {
  if (standsFor === undefined) return state !== "settled";
  return [...standsFor.riders].some((rider) => rider.state !== "settled");
}

/** In order of arrival. */
export function isOlder<Item, Result>(a: QueuedRequest<Item, Result>, b: QueuedRequest<Item, Result>): boolean {
  return a.sequence < b.sequence;
}

/** Earliest due first, then order of arrival. */
export function isMoreUrgent<Item, Result>(a: QueuedRequest<Item, Result>, b: QueuedRequest<Item, Result>): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);
}
