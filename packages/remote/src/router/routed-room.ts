import type { Cancel } from "@framebatch/host/clock.js";
import type { Side } from "./side.js";

/** How many requests streams may submit: as many as keep the side busy that would get the next request. */
export class RoutedRoom<Item, Result> {
  readonly #first: () => Side<Item, Result>;
  readonly #listeners = new Set<() => void>();

  /** @param first returns the side that would get the next request */
  constructor(first: () => Side<Item, Result>) {
    this.#first = first;
  }

  get targetRequests(): number {
    return this.#first().queue.streamRoom.targetRequests;
  }

  isFor(item: Item): boolean {
    return this.#first().queue.streamRoom.isFor(item);
  }

  /** Calls `callback` whenever more room may be available and when a side is disposed, until cancelled. */
  onChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  /** Passes on the changes of a side. */
  watch({ queue }: Side<Item, Result>): void {
    queue.streamRoom.onChange(() => this.changed());
  }

  changed(): void {
    for (const callback of this.#listeners) callback();
  }
}
