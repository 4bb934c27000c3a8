import type { ReleaseNotice } from "../kept/kept-messages.js";
import type { HandledItem } from "../handlers/handler-messages.js";

/**
 * Asks a worker to send the notice "wake" after `wakeInMs` milliseconds. That worker has no other work. Browsers delay
 * the timers of a hidden page, but not those of its workers.
 */
export interface WakeRequest {
  readonly wakeInMs: number;
}

/**
 * Asks a worker that is about to be terminated to end its engine, and to finish its work on the database. WebKit never
 * frees a database that a worker was using when it was terminated.
 */
export interface ShutDownRequest {
  readonly shutDown: true;
  /** Whether it is the last model of a group: the worker ends, so that nothing needs to be released. */
  readonly isLast?: boolean;
}

/** Gives the worker the memory that carries all later runs that fit into it. */
export interface SharedMemory {
  readonly shared: SharedArrayBuffer;
}

/** Gives the worker items before the batches that they will be in, so that `preprocess` overlaps with waiting. */
export interface DeliveryNotice {
  readonly delivered: readonly HandledItem[];
}

/** Tells the worker that a delivered item needs no answer any more. */
export interface WithdrawalNotice {
  readonly withdrawn: number;
}

/** Tells the worker that no step of a sequence follows, so that it drops the state. */
export interface SequenceEndNotice {
  readonly endedSequence: number;
}

/** A message about items, sequences or tensors in the worker. */
export type ItemNotice = DeliveryNotice | WithdrawalNotice | SequenceEndNotice | ReleaseNotice;

/** A message of the page that has no reply. */
export type PageNotice = WakeRequest | ShutDownRequest | SharedMemory | ItemNotice;
