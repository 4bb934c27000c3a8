import type { ReleaseReason } from "../decide/decide.js";
import type { ItemShape } from "./shape.js";
import type { SharedRow } from "./shared-row.js";

/** Priorities of a request, in the terms of `scheduler.postTask`, most urgent first. */
export const PRIORITIES = ["user-blocking", "user-visible", "background"] as const;

/**
 * How urgent a request is, in the terms of `scheduler.postTask`: `"user-blocking"`, `"user-visible"` or `"background"`,
 * most urgent first.
 */
export type Priority = (typeof PRIORITIES)[number];

/** The rank of requests without a priority of their own. */
export const USER_VISIBLE = PRIORITIES.indexOf("user-visible");

/** The rank of requests for which nobody waits at the screen. Those of a lower rank are urgent. */
export const BACKGROUND = PRIORITIES.indexOf("background");

/** Returns the index of a priority in `PRIORITIES`. */
export function rankOf(priority: Priority = "user-visible"): number {
  return PRIORITIES.indexOf(priority);
}

/** Where a batch ran: on this device, or on a server. */
export type Origin = "device" | "server";

/** A batch that has run, as reported with the results of its requests. */
export interface CompletedBatch {
  /** Sequence number among the batches of one origin, starting at 1. */
  readonly id: number;
  /** Where the batch ran. */
  readonly origin: Origin;
  /** Number of requests in the batch. */
  readonly size: number;
  /** Number of rows computed: `size` plus padding. */
  readonly paddedSize: number;
  /** Why the batch was dispatched. */
  readonly reason: ReleaseReason;
  /** When the batch was dispatched, on the batcher's clock, in milliseconds. */
  readonly dispatchedAtMs: number;
  /** When the answer arrived, on the batcher's clock, in milliseconds. */
  readonly completedAtMs: number;
  /**
   * Time in the model itself, in milliseconds, if the engine measures it; otherwise the time from the start on the
   * engine to the answer.
   */
  readonly inferenceMs: number;
}

/**
 * Receives the one outcome of a request. Exactly one of the two methods is called, once, and never inside the request's
 * own `enqueue`.
 */
export interface Sink<Result> {
  /** `batch` is `null` if the result comes from the result cache. */
  resolve(result: Result, batch: CompletedBatch | null, enqueuedAtMs: number): void;
  reject(error: unknown): void;
}

/**
 * Names the option of a part of a pipeline's stream. Not a word, because no caller of a model may set it, and it must
 * survive functions that pass the options of their part on.
 */
export const STAYS = Symbol("stays");

/** Options of one request. */
export interface RequestOptions {
  /**
   * Whether the request, once accepted, stays until it has run, however late it is. What waits and asks again would
   * only be later still, and an item that has moved cannot be asked for again. @default false
   */
  readonly [STAYS]?: boolean;
  /** @default "user-visible" */
  readonly priority?: Priority;
  /** Maximum time from `enqueue` to the result, in milliseconds. @default none */
  readonly timeoutMs?: number;
  /** Supersedes a queued request with the same key. */
  readonly key?: string;
  /**
   * When the caller made the request, on the batcher's clock, in milliseconds, if another batcher had it before. All
   * times of the request count from then.
   * @default now
   */
  readonly sinceMs?: number;
  /**
   * Whether the request may be accepted although it is predicted to miss the latency objective, so that its run shows
   * how fast the engine is now (`AdmissionControl.startTrial`). @default true
   */
  readonly mayBeTrial?: boolean;
}

/** A caller's handle on a request. Every method does nothing once the request has settled. */
export interface Ticket {
  /**
   * Rejects the request with `reason`. A queued request never reaches the engine; the answer to a running one is
   * dropped.
   */
  cancel(reason: unknown): void;
  /** Changes the priority of a queued request. */
  setPriority(priority: Priority): void;
}

/**
 * The ticket of a request from before its `enqueue`. Code of the caller may run inside that call, and end or change the
 * request: this reaches the request as soon as the call has returned its ticket.
 */
export class LateTicket implements Ticket {
  #ticket: Ticket | null = null;
  #cancelledWith: { readonly reason: unknown } | null = null;
  #priority: Priority | null = null;

  /** Receives the ticket that `enqueue` has returned. */
  enqueued(ticket: Ticket): void {
    this.#ticket = ticket;
    if (this.#cancelledWith !== null) ticket.cancel(this.#cancelledWith.reason);
    else if (this.#priority !== null) ticket.setPriority(this.#priority);
  }

  cancel(reason: unknown): void {
    if (this.#ticket === null) this.#cancelledWith ??= { reason };
    else this.#ticket.cancel(reason);
  }

  setPriority(priority: Priority): void {
    if (this.#ticket === null) this.#priority = priority;
    else this.#ticket.setPriority(priority);
  }
}

/** `queued`: waits in the queue. `running`: is part of a dispatched batch. `settled`: has its one outcome. */
export type RequestState = "queued" | "running" | "settled";

/** A batcher's handle on a request. */
export interface QueueTicket extends Ticket {
  /** Absent if the request was not accepted. */
  readonly state?: RequestState;
}

/** The ticket of a request that was not accepted. There is nothing to cancel. */
export const SETTLED_TICKET: Ticket = { cancel() {}, setPriority() {} };

/** Number of deletions, beyond the number of values, after which the values move to a new table. */
const RENEWAL_SLACK = 64;

/**
 * The requests, runs or calls that are open now, in the order of addition: a `Set` for values that come and go all the
 * time.
 *
 * When V8 replaces the table of a `Set` because values were added and deleted, the old table refers to the new one.
 * Once one table is in the old generation, everything that later tables ever held survives there until the next full
 * garbage collection, and each minor collection takes several times as long. A new `Set` now and then ends that chain.
 *
 * `add` and `delete` take O(1) amortised time. Values may be deleted during an iteration, but not added.
 */
export class OpenSet<Value> implements Iterable<Value> {
  /** Number of values. Only this class changes it: a field, because every call asks for it many times. */
  size = 0;
  #values = new Set<Value>();
  #deletions = 0;

  /** The value that was added first; `undefined` if the set is empty. */
  get first(): Value | undefined {
    return this.#values.values().next().value;
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#values.values();
  }

  add(value: Value): void {
    if (this.#deletions > this.size + RENEWAL_SLACK) this.#renew();
    this.#values.add(value);
    this.size = this.#values.size;
  }

  /** Returns whether the value was in the set. */
  delete(value: Value): boolean {
    const wasOpen = this.#values.delete(value);
    if (!wasOpen) return false;
    this.#deletions += 1;
    this.size -= 1;
    return true;
  }

  #renew(): void {
    this.#values = new Set(this.#values);
    this.#deletions = 0;
  }
}

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
