import { FRAME_MS } from "@framebatch/host/clock.js";
import type { CostModel } from "../cost/cost-model.js";
import type { ReleaseReason } from "../decide/release-reason.js";
import { BACKGROUND } from "../queue/priority.js";
import type { QueuedRequest } from "../queue/queued-request.js";
import type { CompletedBatch } from "../queue/request.js";
import { volumeOf } from "../queue/shape.js";
import type { Batch } from "./engine.js";
import type { Search } from "./failure-search.js";
import type { InFlightBatch } from "./in-flight.js";

/** The size of a run. `Batch` documents it. */
export type RunSize = Pick<Batch<unknown>, "paddedSize" | "extents" | "isAlone">;

/** A batch from its dispatch to its end: what the engine gets, and what the batcher knows of it. */
export class Run<Item, Result> implements Batch<Item>, InFlightBatch {
  readonly id: number;
  readonly rows: readonly QueuedRequest<Item, Result>[];
  readonly items: readonly Item[];
  readonly paddedSize: number;
  readonly extents: readonly number[];
  readonly isAlone: boolean;
  readonly reason: ReleaseReason;
  readonly volume: number;
  /** The failure search of which this run is a step; `null` for an ordinary batch. */
  readonly search: Search<QueuedRequest<Item, Result>> | null;
  readonly dispatchedAtMs: number;
  readonly backgroundMs: number;
  startedAtMs: number | null;
  /** Called once when no row needs its answer any more; `null` if the engine has set no callback. */
  onUnwanted: (() => void) | null;
  /** Whether it has its outcome. Any later one is dropped. */
  isOver: boolean;
  readonly #cost: CostModel;
  #expectedMs: number | null;

  constructor(
    id: number,
    rows: readonly QueuedRequest<Item, Result>[],
    { paddedSize, extents, isAlone }: RunSize,
    reason: ReleaseReason,
    search: Search<QueuedRequest<Item, Result>> | null,
    nowMs: number,
    cost: CostModel,
  ) {
    this.id = id;
    this.rows = rows;
    this.paddedSize = paddedSize;
    this.extents = extents;
    this.isAlone = isAlone;
    this.reason = reason;
    this.search = search;
    this.dispatchedAtMs = nowMs;
    this.#cost = cost;
    this.startedAtMs = null;
    this.onUnwanted = null;
    this.isOver = false;
    this.#expectedMs = null;
    this.volume = extents.length === 0 ? 1 : volumeOf(extents);
    const items: Item[] = [];
    let background = 0;
    for (const { item, rank } of rows) {
      items.push(item);
      if (rank === BACKGROUND) background += 1;
    }
    this.items = items;
    this.backgroundMs = background === 0 ? 0 : this.#backgroundMs(rows.length - background);
  }

  get predictedMs(): number | null {
    return this.#cost.longest(this.rows.length, this.volume);
  }

  /** Predicted when it is first asked for: nobody asks while a caller is alone. */
  get expectedMs(): number {
    return this.#expectedMs ?? this.expect();
  }

  /** Predicts its time now, unless that is done. */
  expect(): number {
    return (this.#expectedMs ??= this.#cost.predict(this.rows.length, this.volume));
  }

  /** What a caller gets to know of it at its end. */
  completed(origin: CompletedBatch["origin"], inferenceMs: number, completedAtMs: number): CompletedBatch {
    const { id, paddedSize, reason, dispatchedAtMs } = this;
    return { id, origin, size: this.rows.length, paddedSize, reason, dispatchedAtMs, completedAtMs, inferenceMs };
  }

  /**
   * How much longer it takes because of its background requests, in milliseconds. While no run time is known, this is a
   * frame.
   * @param urgent number of the other rows
   */
  #backgroundMs(urgent: number): number {
    if (!this.#cost.isKnown) return FRAME_MS;
    return this.expectedMs - (urgent === 0 ? 0 : this.#cost.predict(urgent, this.volume));
  }
}
