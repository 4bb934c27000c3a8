import { FramebatchError } from "../../core/errors.js";
import type { Priority } from "../../core/queue/priority.js";
import type { CompletedBatch, Sink, Ticket } from "../../core/queue/request.js";
import { SignalRequests, withPriorityOf, type RequestQueue, type SignalRequest } from "./abortable.js";
import type { PredictOptions } from "../options/options.js";
import { checkListOptions, checkPredictOptions, type OptionsCheck } from "../options/predict-options.js";

/**
 * Queues a list as one request: resolves to the results in the list's order, or rejects with the first failure and takes
 * the rest out of the queue. The list follows `options.signal` as a whole: when it aborts, and its priority.
 */
export function enqueueMany<Source, Item, Result>(
  queue: RequestQueue<Item, Result>,
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
      for (const source of sources) {
        list.add(index, (sink) => queue.enqueue(admit(source), sink, withPriorityOf(signal, options)));
        if (!list.isOpen) return;
        index += 1;
      }
      list.close(index);
    } catch (error) {
      list.end(error);
    }
  });
}

/** The requests of one list, until all have succeeded or one has failed. */
class OpenList<Result> implements SignalRequest {
  readonly #resolve: (results: Result[]) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signalRequests: SignalRequests | null;
  readonly #followsPriority: boolean;
  readonly #results: Result[] = [];
  readonly #tickets: Ticket[] = [];
  #done = 0;
  /** Unknown until the source has ended. */
  #total = Infinity;
  isOpen = true;

  constructor(
    resolve: (results: Result[]) => void,
    reject: (error: unknown) => void,
    { signal, priority }: PredictOptions,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signalRequests = signal === undefined ? null : SignalRequests.of(signal);
    this.#followsPriority = priority === undefined;
    this.#signalRequests?.add(this);
  }

  add(index: number, enqueue: (sink: Sink<Result>) => Ticket): void {
    if (!this.isOpen) return;
    try {
      this.#tickets.push(enqueue(new ListSlot(this, index)));
    } catch (error) {
      this.fail(index, error);
    }
  }

  close(total: number): void {
    this.#total = total;
    this.#settleIfDone();
  }

  fill(index: number, result: Result): void {
    this.#results[index] = result;
    this.#done += 1;
    this.#settleIfDone();
  }

  /** Fails the whole list, and says which item did it. */
  fail(index: number, error: unknown): void {
    this.end(withIndex(error, index));
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

class ListSlot<Result> implements Sink<Result> {
  readonly #list: OpenList<Result>;
  readonly #index: number;

  constructor(list: OpenList<Result>, index: number) {
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

/** Says which item it was. An error of framebatch keeps its code; one of others becomes the cause. */
function withIndex(error: unknown, index: number): FramebatchError {
  const isOurs = error instanceof FramebatchError;
  const message = error instanceof Error ? error.message : String(error);
  return new FramebatchError(isOurs ? error.code : "INFERENCE_FAILED", `item ${index}: ${message}`, {
    cause: error,
    details: { ...(isOurs && error.details), index },
  });
}
