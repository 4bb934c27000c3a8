import type { ItemShape } from "./shape.js";
import { type Priority, rankOf } from "./priority.js";
import type { QueueTicket, RequestState, Sink } from "./request.js";
import type { SharedRow } from "./shared-row.js";

/** Carries out the methods of a caller's ticket. */
export interface RequestOwner<Item, Result> {
  cancel(request: QueuedRequest<Item, Result>, reason: unknown): void;
  setRank(request: QueuedRequest<Item, Result>, rank: number): void;
}

/** A caller's unit of work, from `enqueue` to its one outcome. Only the batcher changes it. */
export class QueuedRequest<Item, Result> implements QueueTicket {
  readonly #owner: RequestOwner<Item, Result>;
  readonly item: Item;
  readonly shape: ItemShape;
  readonly sink: Sink<Result>;
  readonly key: string | undefined;
  readonly contentKey: string | undefined;
  readonly enqueuedAtMs: number;
  /** Order of arrival: its own, or that of the request whose place it took. */
  sequence: number;
  /** When it was enqueued, or the request whose place it took. */
  waitingSinceMs: number;
  /** Latest time for the result by `timeoutMs`; `Infinity` without one. */
  readonly timeoutAtMs: number;
  /**
   * Latest time for the result by the batcher's `maxLatencyMs`; `Infinity` without one, for a trial, and for a request
   * that was made with background priority.
   */
  objectiveAtMs: number;
  /**
   * Sort key within its priority: the earlier of the two times above, or its default deadline (`DEFAULT_DEADLINE_MS`)
   * if that is earlier. Always finite.
   */
  dueMs: number;
  /** Index into `PRIORITIES`. */
  rank: number;
  state: RequestState;
  /** The row that it shares with identical requests, if any. */
  row: SharedRow<Item, Result> | undefined;
  /** Set for a stand-in: the row that it represents in the queue. A stand-in is not a caller's request. */
  standsFor: SharedRow<Item, Result> | undefined;
  /** Whether its `enqueue` has not returned yet. An outcome is delivered only after that. */
  isEntering: boolean;

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
    this.dueMs = dueOf(fields.timeoutAtMs, fields.objectiveAtMs, fields.enqueuedAtMs);
    this.rank = fields.rank;
    this.state = "queued";
    this.row = undefined;
    this.standsFor = undefined;
    this.isEntering = true;
  }

  /** The time after which its result is of no use; `Infinity` if there is none. */
  get deadlineMs(): number {
    return Math.min(this.timeoutAtMs, this.objectiveAtMs);
  }

  /**
   * Takes the place of an older request in the queue, if the two have the same priority. Otherwise, a caller that
   * supersedes its request faster than the queue moves would start at the end each time and never be served.
   */
  takePlaceOf(older: QueuedRequest<Item, Result>): void {
    if (older.rank === this.rank) this.standAt(older);
  }

  /**
   * Takes the place at which another request arrived. Must not be called while this request is queued, because the
   * queue would not reorder it.
   */
  standAt({ sequence, waitingSinceMs }: Pick<QueuedRequest<Item, Result>, "sequence" | "waitingSinceMs">): void {
    this.sequence = sequence;
    this.waitingSinceMs = waitingSinceMs;
    this.dueMs = dueOf(this.timeoutAtMs, this.objectiveAtMs, waitingSinceMs);
  }

  cancel(reason: unknown): void {
    this.#owner.cancel(this, reason);
  }

  setPriority(priority: Priority): void {
    this.#owner.setRank(this, rankOf(priority));
  }
}

/** The fields of a new request; the others follow from them. */
export type RequestFields<Item, Result> = Pick<
  QueuedRequest<Item, Result>,
  | "item"
  | "shape"
  | "sink"
  | "key"
  | "contentKey"
  | "enqueuedAtMs"
  | "sequence"
  | "timeoutAtMs"
  | "objectiveAtMs"
  | "rank"
>;

/**
 * A request without a deadline is ordered as if it had one this long after its arrival, in milliseconds. Because this
 * time is finite, a continuous stream of requests with deadlines does not starve those without.
 */
const DEFAULT_DEADLINE_MS = 10_000;

function dueOf(timeoutAtMs: number, objectiveAtMs: number, waitingSinceMs: number): number {
  return Math.min(timeoutAtMs, objectiveAtMs, waitingSinceMs + DEFAULT_DEADLINE_MS);
}

/** Whether any request on this row still needs an answer. */
export function isWanted<Item, Result>({ state, standsFor }: QueuedRequest<Item, Result>): boolean {
  return standsFor === undefined ? state !== "settled" : standsFor.sharers.size > 0;
}

/** Orders requests by arrival. */
export function isOlder<Item, Result>(a: QueuedRequest<Item, Result>, b: QueuedRequest<Item, Result>): boolean {
  return a.sequence < b.sequence;
}

/** Orders requests of one priority by due time, then by arrival. The keys of a queued request never change. */
export function isDueBefore<Item, Result>(a: QueuedRequest<Item, Result>, b: QueuedRequest<Item, Result>): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);
}

/** Returns the request of higher priority; of equal priorities, the one that is due first, or arrived first. */
export function moreUrgentOf<Item, Result>(
  a: QueuedRequest<Item, Result> | undefined,
  b: QueuedRequest<Item, Result> | undefined,
): QueuedRequest<Item, Result> | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.rank !== b.rank) return a.rank < b.rank ? a : b;
  return isDueBefore(b, a) ? b : a;
}

/** Orders requests by timeout. */
export function timesOutBefore<Item, Result>(a: QueuedRequest<Item, Result>, b: QueuedRequest<Item, Result>): boolean {
  return a.timeoutAtMs < b.timeoutAtMs;
}
