import type { ReleaseReason } from "../decide/decision.js";
import type { Priority } from "./priority.js";

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

/** `queued`: waits in the queue. `running`: is part of a dispatched batch. `settled`: has its one outcome. */
export type RequestState = "queued" | "running" | "settled";

/** A batcher's handle on a request. */
export interface QueueTicket extends Ticket {
  /** Absent if the request was not accepted. */
  readonly state?: RequestState;
}

/** The ticket of a request that was not accepted. There is nothing to cancel. */
export const SETTLED_TICKET: Ticket = { cancel() {}, setPriority() {} };
