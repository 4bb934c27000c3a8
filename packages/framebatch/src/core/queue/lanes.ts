import { type ItemShape, laneKeyOf, laneOrderOf } from "../shape.js";
import { isMoreUrgent } from "./queued-request.js";
import { UrgencyQueue } from "./urgency-queue.js";

/** Queued requests of nearly one shape, which ride together at little waste. */
export interface Lane<Item, Result> {
  readonly key: string;
  /** Place among the lanes of a group: those of like sizes are neighbours. */
  readonly order: number;
  /** Sizes that hold every request that ever joined this lane since it was last empty. */
  extents: readonly number[];
  readonly requests: UrgencyQueue<Item, Result>;
}

/** A lane among those of like sizes. */
export interface Neighbourhood<Item, Result> {
  /** In the order of their sizes. */
  readonly lanes: readonly Lane<Item, Result>[];
  readonly place: number;
}

/** The lanes whose requests may share a batch, ordered by size. */
export class LaneGroup<Item, Result> {
  readonly #byKey = new Map<string, Lane<Item, Result>>();
  readonly #ordered: Lane<Item, Result>[] = [];

  get size(): number {
    return this.#ordered.length;
  }

  laneFor(shape: ItemShape): Lane<Item, Result> {
    const key = laneKeyOf(shape);
    return this.#byKey.get(key) ?? this.#add(key, shape);
  }

  delete(lane: Lane<Item, Result>): void {
    this.#byKey.delete(lane.key);
    this.#ordered.splice(this.#ordered.indexOf(lane), 1);
  }

  /** A lane, and at most `reach` on either side of it. */
  around(lane: Lane<Item, Result>, reach: number): Neighbourhood<Item, Result> {
    if (this.size === 1) return { lanes: this.#ordered, place: 0 };
    const place = this.#ordered.indexOf(lane);
    const first = Math.max(0, place - reach);
    return { lanes: this.#ordered.slice(first, place + reach + 1), place: place - first };
  }

  #add(key: string, { extents }: ItemShape): Lane<Item, Result> {
    const order = laneOrderOf(extents);
    const lane = { key, order, extents, requests: new UrgencyQueue<Item, Result>(isMoreUrgent) };
    this.#byKey.set(key, lane);
    const next = this.#ordered.findIndex((other) => other.order > order);
    this.#ordered.splice(next < 0 ? this.size : next, 0, lane);
    return lane;
  }
}
