import type { CompletedBatch, RequestOptions, Sink, Ticket } from "../core/request.js";
import { isPriority } from "./predict-options.js";
import type { PredictOptions } from "./options.js";

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

/** A signal's own priority, unless the caller has named another. */
function withPriorityOf(signal: AbortSignal, options: PredictOptions): RequestOptions {
  if (options.priority !== undefined) return options;
  const priority = priorityOf(signal);
  return priority === undefined ? options : { ...options, priority };
}

/** `TaskSignal` is not in every engine; where it is, it is an `AbortSignal` with a priority. */
function priorityOf(signal: AbortSignal): RequestOptions["priority"] {
  return "priority" in signal && isPriority(signal.priority) ? signal.priority : undefined;
}

/** Listens to a signal for as long as one request is open: sink and listener in one object, since there may be many. */
class SignalFollower<Result> implements Sink<Result>, EventListenerObject {
  readonly #sink: Sink<Result>;
  readonly #signal: AbortSignal;
  #ticket: Ticket | null = null;

  constructor(sink: Sink<Result>, signal: AbortSignal) {
    this.#sink = sink;
    this.#signal = signal;
  }

  follow(ticket: Ticket, priorityToo: boolean): void {
    this.#ticket = ticket;
    this.#signal.addEventListener("abort", this);
    if (priorityToo) this.#signal.addEventListener("prioritychange", this);
  }

  handleEvent({ type }: Event): void {
    const priority = type === "abort" ? undefined : priorityOf(this.#signal);
    if (type === "abort") this.#ticket?.cancel(this.#signal.reason);
    else if (priority !== undefined) this.#ticket?.setPriority(priority);
  }

  resolve(result: Result, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    this.#stop();
    this.#sink.resolve(result, batch, enqueuedAtMs);
  }

  reject(error: unknown): void {
    this.#stop();
    this.#sink.reject(error);
  }

  #stop(): void {
    this.#signal.removeEventListener("abort", this);
    this.#signal.removeEventListener("prioritychange", this);
  }
}
