import type { Sink, Ticket } from "../core/request.js";

/** Queues an item; `null` where it was not queued, and the sink has been told. */
type Enqueue<Item, Result> = (item: Item, sink: Sink<Result>) => Ticket | null;

/** The open requests of one stream, to be taken back when it is stopped early. */
export class StreamRequests<Item, Result> {
  readonly #enqueue: Enqueue<Item, Result>;
  readonly #open = new Set<StreamSlot<Result>>();

  constructor(enqueue: Enqueue<Item, Result>) {
    this.#enqueue = enqueue;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const slot = new StreamSlot(resolve, reject, this.#open);
      this.#open.add(slot);
      slot.ticket = this.#enqueue(item, slot);
    });
  }

  cancel(): void {
    const reason = new DOMException("the stream was stopped", "AbortError");
    for (const { ticket } of this.#open) ticket?.cancel(reason);
  }
}

/** Takes itself out of the open ones once it has settled. */
class StreamSlot<Result> implements Sink<Result> {
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;
  readonly #open: Set<StreamSlot<Result>>;
  ticket: Ticket | null = null;

  constructor(resolve: (result: Result) => void, reject: (error: unknown) => void, open: Set<StreamSlot<Result>>) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#open = open;
  }

  resolve(result: Result): void {
    this.#open.delete(this);
    this.#resolve(result);
  }

  reject(error: unknown): void {
    this.#open.delete(this);
    this.#reject(error);
  }
}
