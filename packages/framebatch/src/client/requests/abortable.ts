import type { Priority } from "../../core/queue/priority.js";
import type { CompletedBatch, RequestOptions, Sink, Ticket } from "../../core/queue/request.js";
import { isPriority } from "../options/predict-options.js";
import type { PredictOptions } from "../options/options.js";

/** Where requests are queued: a `Batcher`. */
export interface RequestQueue<Item, Result> {
  enqueue(item: Item, sink: Sink<Result>, options?: RequestOptions): Ticket;
}

/**
 * Queues a request that ends early when `options.signal` aborts, and follows the priority of a `TaskSignal`. `null` where the
 * signal has aborted already: the request is not queued, and its sink has been told.
 */
export function enqueueAbortable<Item, Result>(
  queue: RequestQueue<Item, Result>,
  item: Item,
  sink: Sink<Result>,
  options: PredictOptions,
): Ticket | null {
  const { signal } = options;
  if (signal === undefined) return queue.enqueue(item, sink, options);
  if (signal.aborted) {
    sink.reject(signal.reason);
    return null;
  }
  const follower = new SignalFollower(sink, signal);
  const ticket = queue.enqueue(item, follower, withPriorityOf(signal, options));
  follower.follow(ticket, options.priority === undefined);
  return ticket;
}

/** The options with the signal's own priority, unless the caller has named another. */
export function withPriorityOf(signal: AbortSignal | undefined, options: PredictOptions): RequestOptions {
  if (signal === undefined || options.priority !== undefined) return options;
  const priority = priorityOf(signal);
  return priority === undefined ? options : { ...options, priority };
}

/** `TaskSignal` is not in every engine; where it is, it is an `AbortSignal` with a priority. */
function priorityOf(signal: AbortSignal): RequestOptions["priority"] {
  return "priority" in signal && isPriority(signal.priority) ? signal.priority : undefined;
}

/**
 * The open requests of one signal. It is listened to once for all of them, since a signal compares each listener that is
 * added or removed with all that it has.
 */
export class SignalRequests implements EventListenerObject {
  static readonly #ofSignal = new WeakMap<AbortSignal, SignalRequests>();
  readonly #signal: AbortSignal;
  readonly #open = new Set<SignalRequest>();

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  static of(signal: AbortSignal): SignalRequests {
    let requests = SignalRequests.#ofSignal.get(signal);
    if (requests === undefined) SignalRequests.#ofSignal.set(signal, (requests = new SignalRequests(signal)));
    return requests;
  }

  add(request: SignalRequest): void {
    this.#open.add(request);
    if (this.#open.size > 1) return;
    this.#signal.addEventListener("abort", this);
    this.#signal.addEventListener("prioritychange", this);
  }

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

/** What a signal may ask of an open request, or of an open list of them. */
export interface SignalRequest {
  abort(reason: unknown): void;
  prioritise(priority: Priority): void;
}

/** Follows a signal for as long as its request is open: sink and follower in one object, since there may be many. */
class SignalFollower<Result> implements Sink<Result>, SignalRequest {
  readonly #sink: Sink<Result>;
  readonly #requests: SignalRequests;
  #ticket: Ticket | null = null;
  #followsPriority = false;

  constructor(sink: Sink<Result>, signal: AbortSignal) {
    this.#sink = sink;
    this.#requests = SignalRequests.of(signal);
  }

  follow(ticket: Ticket, priorityToo: boolean): void {
    this.#ticket = ticket;
    this.#followsPriority = priorityToo;
    this.#requests.add(this);
  }

  abort(reason: unknown): void {
    this.#ticket?.cancel(reason);
  }

  prioritise(priority: Priority): void {
    if (this.#followsPriority) this.#ticket?.setPriority(priority);
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
