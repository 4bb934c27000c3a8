import type { Sink } from "../../src/core/queue/request.js";
import type { SimRequest } from "../sim-request.js";

/** A request in a baseline's queue. */
export interface Waiting {
  readonly item: SimRequest;
  readonly sink: Sink<number>;
  readonly enqueuedAtMs: number;
}

/** First in, first out, without moving the rest on each removal. */
export class Fifo {
  #items: Waiting[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(waiting: Waiting): void {
    this.#items.push(waiting);
  }

  head(): Waiting | undefined {
    return this.#items[this.#head];
  }

  tail(): Waiting | undefined {
    return this.length > 0 ? this.#items.at(-1) : undefined;
  }

  /** Removes up to `count` from the front. */
  take(count: number): Waiting[] {
    const taken = this.#items.slice(this.#head, this.#head + count);
    this.#head += taken.length;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }
}
