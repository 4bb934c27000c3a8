import {
  type CompletedBatch,
  LateTicket,
  OpenSet,
  type Priority,
  type RequestOptions,
  SETTLED_TICKET,
  type Sink,
  type Ticket,
} from "../queue/request.js";
import { isPriority } from "../options/predict-options.js";
import type { PredictOptions } from "../options/options.js";

/** The part of a `Batcher` that queues requests. */
export interface Enqueuer<Item, Result> {
  enqueue(item: Item, sink: Sink<Result>, options?: RequestOptions): Ticket;
  discard(item: Item): void;
}

/**
 * Queues a request that rejects when `options.signal` aborts and that follows the priority of a `TaskSignal`. If the
 * signal is already aborted, rejects through the sink at once and queues nothing.
 */
export function enqueueAbortable<Item, Result>(
  queue: Enqueuer<Item, Result>,
  item: Item,
  sink: Sink<Result>,
  options: PredictOptions,
): Ticket {
  const { signal } = options;
  if (signal === undefined) return queue.enqueue(item, sink, options);
  if (signal.aborted) {
    queue.discard(item);
    sink.reject(signal.reason);
    return SETTLED_TICKET;
  }
  const follower = new SignalFollower(sink, signal, followsPriority(signal, options));
  follower.enqueued(queue.enqueue(item, follower, withPriorityOf(signal, options)));
  return follower;
}

/** Returns the options with the signal's own priority, unless the options have a priority. */
export function withPriorityOf(signal: AbortSignal | undefined, options: PredictOptions): RequestOptions {
  if (signal === undefined || options.priority !== undefined) return options;
  const priority = priorityOf(signal);
  return priority === undefined ? options : { ...options, priority };
}

/**
 * Whether a request follows changes of its signal's priority: unless it has one of its own. The priority of a run,
 * which a stage gets beside the signal, is not one of its own.
 */
export function followsPriority(signal: AbortSignal, { priority }: PredictOptions): boolean {
  return priority === undefined || (SignalRequests.of(signal).isOfStage && priority === priorityOf(signal));
}

/**
 * Returns the priority of a `TaskSignal`, else `undefined`. Tests for the property, because not every browser has the
 * class `TaskSignal`.
 */
function priorityOf(signal: AbortSignal): RequestOptions["priority"] {
  return "priority" in signal && isPriority(signal.priority) ? signal.priority : undefined;
}

/**
 * The open requests of one signal. One listener serves all of them: adding or removing a listener costs time
 * proportional to the number of listeners, because the signal compares it with each of them.
 */
export class SignalRequests implements EventListenerObject {
  static readonly #ofSignal = new WeakMap<AbortSignal, SignalRequests>();
  readonly #signal: AbortSignal;
  readonly #open = new OpenSet<SignalRequest>();
  /** Whether a pipeline gave the signal to a stage, together with its priority. */
  isOfStage = false;

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Returns the one instance of a signal. */
  static of(signal: AbortSignal): SignalRequests {
    let requests = SignalRequests.#ofSignal.get(signal);
    if (requests === undefined) SignalRequests.#ofSignal.set(signal, (requests = new SignalRequests(signal)));
    return requests;
  }

  /** Adds an open request. The first one starts listening to the signal. */
  add(request: SignalRequest): void {
    this.#open.add(request);
    if (this.#open.size > 1) return;
    this.#signal.addEventListener("abort", this);
    this.#signal.addEventListener("prioritychange", this);
  }

  /** Removes a settled request. The last one stops listening to the signal. */
  delete(request: SignalRequest): void {
    if (!this.#open.delete(request) || this.#open.size > 0) return;
    this.#signal.removeEventListener("abort", this);
    this.#signal.removeEventListener("prioritychange", this);
  }

  handleEvent({ type }: Event): void {
    const priority = type === "abort" ? undefined : priorityOf(this.#signal);
    for (const request of this.#open) {
      if (type === "abort") request.abort(this.#signal.reason);
      else if (priority !== undefined) request.prioritise(priority);
    }
  }
}

/** An open request, or an open list of requests, that follows a signal. */
export interface SignalRequest {
  /** Rejects the request with `reason`. */
  abort(reason: unknown): void;
  /** Moves the request to another priority, unless its own options set one. */
  prioritise(priority: Priority): void;
}

/**
 * Follows a signal from before its request is queued until it settles. It is the ticket and the sink of the request as
 * well, because there can be many requests and one object for each costs less than three.
 */
class SignalFollower<Result> extends LateTicket implements Sink<Result>, SignalRequest {
  readonly #sink: Sink<Result>;
  readonly #requests: SignalRequests;
  readonly #followsPriority: boolean;

  /** @param priorityToo whether the request also follows changes of the signal's priority */
  constructor(sink: Sink<Result>, signal: AbortSignal, priorityToo: boolean) {
    super();
    this.#sink = sink;
    this.#requests = SignalRequests.of(signal);
    this.#followsPriority = priorityToo;
    this.#requests.add(this);
  }

  abort(reason: unknown): void {
    this.cancel(reason);
  }

  prioritise(priority: Priority): void {
    if (this.#followsPriority) this.setPriority(priority);
  }

  resolve(result: Result, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    this.#requests.delete(this);
    this.#sink.resolve(result, batch, enqueuedAtMs);
  }

  reject(error: unknown): void {
    this.#requests.delete(this);
    this.#sink.reject(error);
  }
}
