import type { CompletedBatch, Sink } from "./request.js";

/** Passes the outcome of a request on, then ends an item: its own, or that of an identical request. */
export class EndSink<Item, Result> implements Sink<Result> {
  readonly #sink: Sink<Result>;
  readonly #end: (item: Item) => void;
  item: Item;

  constructor(sink: Sink<Result>, item: Item, end: (item: Item) => void) {
    this.#sink = sink;
    this.item = item;
    this.#end = end;
  }

  resolve(result: Result, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    try {
      this.#sink.resolve(result, batch, enqueuedAtMs);
    } finally {
      this.#end(this.item);
    }
  }

  reject(error: unknown): void {
    try {
      this.#sink.reject(error);
    } finally {
      this.#end(this.item);
    }
  }
}
