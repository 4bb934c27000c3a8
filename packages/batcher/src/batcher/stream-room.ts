import type { AdmissionControl } from "../requests/admission-control.js";
import type { BatcherConfig } from "./batcher-config.js";
import type { Cancel } from "@framebatch/host/clock.js";
import type { CompletedBatch } from "../queue/request.js";

/**
 * Minimum planned batch size, if the limits allow it. Without it, a model that seems fastest at batch size 1 would
 * never run a larger batch that could show otherwise.
 */
const MIN_SIZE = 4;

/**
 * Share of `maxLatencyMs` that a stream plans with, so that a run of twice the predicted time sheds none of its
 * requests.
 */
const OBJECTIVE_SHARE = 0.5;

/** The parts of a batcher that determine how much room it has. */
export interface StreamRoomParts<Item> {
  readonly config: Pick<BatcherConfig<Item, unknown>, "engines" | "maxQueueSize" | "maxLatencyMs">;
  /** The batch size with the best rate, and the current maximum batch size. */
  readonly targetSize: () => number;
  readonly maxRows: () => number;
  readonly admission: AdmissionControl;
  /** Numbers of requests that are queued and running now. */
  readonly open: () => { readonly queued: number; readonly running: number };
  /** Predicted time from now to the result of a request for this item, in milliseconds. */
  readonly predictMs: (item: Item) => number;
}

/**
 * Limits how many requests streams submit: enough to keep the engines busy, and never so many that the batcher would
 * reject them.
 */
export class StreamRoom<Item> {
  readonly #parts: StreamRoomParts<Item>;
  /** Whether a stream waits for more room. Only this class changes it. */
  isWatched = false;
  readonly #listeners = new Set<() => void>();
  #largestBatch = 1;

  constructor(parts: StreamRoomParts<Item>) {
    this.#parts = parts;
  }

  /**
   * Number of requests that keep the engines busy: two batches of the best size per engine, and at least a few, so that
   * the cost model can learn. With a latency objective, the batch size at most doubles at a time, because the predicted
   * time of a larger batch is a guess.
   */
  get targetRequests(): number {
    const { config, targetSize, maxRows } = this.#parts;
    const best = Math.max(targetSize(), Math.min(MIN_SIZE, maxRows()));
    const size = config.maxLatencyMs === undefined ? best : Math.min(best, this.#largestBatch);
    return Math.min(2 * (config.engines ?? 1) * size, config.maxQueueSize ?? Infinity);
  }

  /**
   * Returns whether the batcher would accept a request for this item with a margin for the latency objective. Always
   * true while no request is open, because waiting could free no more room.
   */
  isFor(item: Item): boolean {
    const { config, admission, predictMs } = this.#parts;
    const { queued, running } = this.#parts.open();
    if (queued + running === 0 || queued < admission.openBelow) return true;
    if (queued >= (config.maxQueueSize ?? Infinity)) return false;
    return predictMs(item) <= OBJECTIVE_SHARE * (config.maxLatencyMs ?? Infinity);
  }

  /** Calls `callback` whenever more room may be available and when the batcher is disposed, until cancelled. */
  onChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    this.isWatched = true;
    return () => {
      this.#listeners.delete(callback);
      this.isWatched = this.#listeners.size > 0;
    };
  }

  changed(): void {
    for (const callback of this.#listeners) callback();
  }

  /** Records the size of a completed batch. */
  ran({ size }: CompletedBatch): void {
    this.#largestBatch = Math.max(this.#largestBatch, size);
  }
}
