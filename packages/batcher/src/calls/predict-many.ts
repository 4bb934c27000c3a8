import { FramebatchError, placedError } from "../errors/errors.js";
import { type CompletedBatch, LateTicket, type Priority, type Sink, type Ticket } from "../queue/request.js";
import { type Enqueuer, followsPriority, type SignalRequest, SignalRequests, withPriorityOf } from "./abortable.js";
import type { PredictOptions } from "../options/options.js";
import { checkListOptions, checkPredictOptions, type OptionsCheck } from "../options/predict-options.js";

/**
 * Queues a list as one request. Resolves to the results in the order of the list. The first failure rejects the list
 * and takes the other items out of the queue. The list as a whole follows aborts and priority changes of
 * `options.signal`.
 * @param admit turns a source into the item to queue; when it throws, the list rejects with the index of that source
 * @throws INVALID_OPTION when `options` has a wrong value or a `key`; INVALID_INPUT when `sources` is no iterable; the
 * error of an item, with its index; `options.signal.reason`; the error of `sources` itself, unchanged.
 */
export function enqueueMany<Source, Item, Result>(
  queue: Enqueuer<Item, Result>,
  sources: Iterable<Source>,
  admit: (source: Source) => Item,
  options: Omit<PredictOptions, "key">,
  checkOptions: OptionsCheck = checkPredictOptions,
): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    checkListOptions(options, checkOptions);
    const { signal } = options;
    if (signal?.aborted) return reject(signal.reason);
    const list = new OpenList<Result>(resolve, reject, options);
    let index = 0;
    try {
      if (!isIterable(sources)) throw noItems(sources);
      for (const source of sources) {
        list.add(index, (slot) => {
          const item = admit(source);
          if (list.isOpen) slot.enqueued(queue.enqueue(item, slot, withPriorityOf(signal, options)));
          else queue.discard(item);
        });
        if (!list.isOpen) return;
        index += 1;
      }
      list.close(index);
    } catch (error) {
      list.end(error);
    }
  });
}

/** The requests of one list. It is open until all have succeeded or one has failed. */
class OpenList<Result> implements SignalRequest {
  readonly #resolve: (results: Result[]) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signalRequests: SignalRequests | null;
  readonly #followsPriority: boolean;
  readonly #results: Result[] = [];
  readonly #tickets: Ticket[] = [];
  #done = 0;
  /** Number of items; `Infinity` until the source has ended. */
  #total = Infinity;
  isOpen = true;

  constructor(resolve: (results: Result[]) => void, reject: (error: unknown) => void, options: PredictOptions) {
    const { signal } = options;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signalRequests = signal === undefined ? null : SignalRequests.of(signal);
    this.#followsPriority = signal !== undefined && followsPriority(signal, options);
    this.#signalRequests?.add(this);
  }

  /** Queues one item. The list fails if `enqueue` throws. */
  add(index: number, enqueue: (slot: ListSlot<Result>) => void): void {
    if (!this.isOpen) return;
    const slot = new ListSlot(this, index);
    this.#tickets.push(slot);
    try {
      enqueue(slot);
    } catch (error) {
      this.fail(index, error);
    }
  }

  /** Sets the number of items once the source has ended. */
  close(total: number): void {
    this.#total = total;
    this.#settleIfDone();
  }

  /** Stores the result of one item. */
  fill(index: number, result: Result): void {
    this.#results[index] = result;
    this.#done += 1;
    this.#settleIfDone();
  }

  /** Rejects the list with the error of one item, which gets its index. */
  fail(index: number, error: unknown): void {
    // Its other items then reject too, and an error for each of them would be made for nobody.
    if (this.isOpen) this.end(placedError(error, `item ${index}`, { index }, "INFERENCE_FAILED"));
  }

  abort(reason: unknown): void {
    this.end(reason);
  }

  prioritise(priority: Priority): void {
    if (this.#followsPriority) for (const ticket of this.#tickets) ticket.setPriority(priority);
  }

  #settleIfDone(): void {
    if (this.#done < this.#total || !this.isOpen) return;
    this.#stop();
    this.#resolve(this.#results);
  }

  /** Rejects the list and cancels its requests, unless it has settled. */
  end(error: unknown): void {
    if (!this.isOpen) return;
    this.#stop();
    this.#reject(error);
    for (const ticket of this.#tickets) ticket.cancel(error);
  }

  #stop(): void {
    this.isOpen = false;
    this.#signalRequests?.delete(this);
  }
}

/** The sink and the ticket of one item of a list. */
class ListSlot<Result> extends LateTicket implements Sink<Result> {
  readonly #list: OpenList<Result>;
  readonly #index: number;

  constructor(list: OpenList<Result>, index: number) {
    super();
    this.#list = list;
    this.#index = index;
  }

  resolve(result: Result, _batch: CompletedBatch | null): void {
    this.#list.fill(this.#index, result);
  }

  reject(error: unknown): void {
    this.#list.fail(this.#index, error);
  }
}

/** Whether a value can be read item by item without waiting. An untyped caller may pass anything. */
function isIterable(value: Partial<Iterable<unknown>> | null | undefined): boolean {
  return typeof value?.[Symbol.iterator] === "function";
}

/** Returns the message for a value that cannot be read item by item: `expected X, got Y; fix`. */
export function notIterable(what: string, got: unknown): string {
  return `expected an iterable of ${what}, got ${got === null ? "null" : typeof got}; pass a list or write a generator`;
}

/** Returns the error of a caller who passes something else than a source of items. */
export function noItems(got: unknown): FramebatchError {
  return new FramebatchError("INVALID_INPUT", notIterable("items", got));
}
