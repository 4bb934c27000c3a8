import { FRAME_MS } from "@framebatch/host/clock.js";
import type { CostModel } from "../cost/cost-model.js";
import type { ReleaseReason } from "../decide/decide.js";
import { BACKGROUND, type CompletedBatch, OpenSet, type QueuedRequest } from "../queue/request.js";
import { volumeOf } from "../queue/shape.js";
import type { Batch } from "./engine.js";
import type { Search } from "./failure-search.js";

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

/** A run is overdue when it takes longer than predicted by more than this share and this time, in milliseconds. */
const OVERDUE_SHARE = 1 / 4;
const OVERDUE_MS = 4;

/** A batch in flight: when it was dispatched, and its predicted run time. */
export interface InFlightBatch {
  readonly dispatchedAtMs: number;
  readonly expectedMs: number;
  /** The part of this time that an urgent request behind it waits for background requests. */
  readonly backgroundMs: number;
  /** When the engine started it; `null` while it waits for another one to end. Only `InFlight` changes it. */
  startedAtMs: number | null;
}

/**
 * The batches in flight. The engine starts them in the order of dispatch, as soon as fewer are running than it can run
 * in parallel.
 */
export class InFlight<Flight extends InFlightBatch = InFlightBatch> {
  /** In the order of dispatch. */
  readonly batches = new OpenSet<Flight>();
  /** The predicted time of all background requests dispatched so far, in milliseconds. */
  backgroundMs = 0;
  readonly #engines: number;

  /** @param engines number of batches that run in parallel */
  constructor(engines: number) {
    this.#engines = engines;
  }

  dispatched(flight: Flight): void {
    if (this.batches.size < this.#engines) flight.startedAtMs = flight.dispatchedAtMs;
    this.batches.add(flight);
    this.backgroundMs += flight.backgroundMs;
  }

  /**
   * Removes an answered batch. Returns its run time in milliseconds, without the time that it waited for other batches.
   */
  ended(flight: Flight, nowMs: number): number {
    const { dispatchedAtMs, startedAtMs } = flight;
    if (!this.batches.delete(flight) || startedAtMs === null) return nowMs - dispatchedAtMs;
    if (this.batches.size > 0) this.#startNext(nowMs);
    return nowMs - startedAtMs;
  }

  /** When the engine would start another batch: now if it is free, otherwise the predicted end of its current work. */
  freeAtMs(nowMs: number): number {
    return this.#freeAtMs(nowMs, ({ expectedMs }) => expectedMs);
  }

  /**
   * How long an urgent request waits for the background requests in flight, until an engine is free, in milliseconds.
   */
  backgroundLeftMs(nowMs: number): number {
    return this.#freeAtMs(nowMs, ({ backgroundMs }) => backgroundMs) - nowMs;
  }

  /**
   * When the first of the running batches is overdue; in the past if it is already, and `Infinity` if none runs.
   * Nothing may wait for its answer alone any longer, because it may never come.
   */
  get overdueAtMs(): number {
    let firstMs = Infinity;
    for (const { expectedMs, startedAtMs } of this.batches) {
      if (startedAtMs === null) continue;
      firstMs = Math.min(firstMs, startedAtMs + (1 + OVERDUE_SHARE) * expectedMs + OVERDUE_MS);
    }
    return firstMs;
  }

  /** When the first engine would be free if each batch in flight counted only for a part of its time. */
  #freeAtMs(nowMs: number, part: (flight: Flight) => number): number {
    if (this.batches.size < this.#engines) return nowMs;
    const ends: number[] = [];
    for (const flight of this.batches) {
      const { expectedMs, startedAtMs } = flight;
      const partMs = part(flight);
      if (startedAtMs === null) ends[ends.indexOf(Math.min(...ends))]! += partMs;
      else ends.push(Math.max(nowMs, Math.min(startedAtMs + Math.max(expectedMs, partMs), nowMs + partMs)));
    }
    return Math.min(...ends);
  }

  #startNext(nowMs: number): void {
    for (const flight of this.batches) {
      if (flight.startedAtMs === null) return void (flight.startedAtMs = nowMs);
    }
  }
}
