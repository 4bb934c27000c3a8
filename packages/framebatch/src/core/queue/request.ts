import type { ReleaseReason } from "../release-reason.js";
import type { Priority } from "./priority.js";

/** A batch that has run, as its requests may report it. */
export interface CompletedBatch {
  readonly id: number;
  /** Requests in it. */
  readonly size: number;
  /** Rows computed: `size` and padding. */
  readonly paddedSize: number;
  readonly reason: ReleaseReason;
  /** When it was handed to the engine, and when its answer came, on the batcher's clock, in milliseconds. */
  readonly dispatchedAtMs: number;
  readonly completedAtMs: number;
  /** Time in the model itself where the engine tells it, else from the start on the engine to the answer. */
  readonly inferenceMs: number;
}

/** Where the one outcome of a request goes. Exactly one of the two is called, once, and never inside its own `enqueue`. */
export interface Sink<Result> {
  /** `batch` is `null` for an answer from the result cache. */
  resolve(result: Result, batch: CompletedBatch | null, enqueuedAtMs: number): void;
  reject(error: unknown): void;
}

/** How one request is queued. */
export interface RequestOptions {
  /** @default "user-visible" */
  readonly priority?: Priority;
  /** Longest time from now to the result, in milliseconds. @default none */
  readonly timeoutMs?: number;
  /** Takes the place of a queued request with the same key. */
  readonly key?: string;
}

/** A caller's hold on a request that has not settled. Every method does nothing once it has. */
export interface Ticket {
  /** Rejects the request with `reason`. A queued one never reaches the engine; the answer to a running one is dropped. */
  cancel(reason: unknown): void;
  /** Moves a queued request to another priority. */
  setPriority(priority: Priority): void;
}

/** Of a request that was not let in: it is nowhere to be cancelled. */
export const SETTLED_TICKET: Ticket = { cancel() {}, setPriority() {} };
