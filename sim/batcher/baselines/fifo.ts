import type { Sink } from "@framebatch/batcher/queue/request.js";
import type { SimRequest } from "../run/sim-request.js";

/** A request in a baseline's queue. */
export interface Waiting {
  readonly item: SimRequest;
  readonly sink: Sink<number>;
  readonly enqueuedAtMs: number;
}

/** A first-in, first-out queue. `take` does not shift the remaining items on each call. */
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

  /** Removes and returns up to `count` items from the front. */
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
