import type { AdmissionControl } from "../requests/admission-control.js";
import type { BatcherConfig } from "./batcher-config.js";
import type { Cancel } from "../clock.js";
import type { CompletedBatch } from "../queue/request.js";

/** A model that seems best at one row by one is still given a few at a time, or it could never show otherwise. */
const LEAST_SIZE = 4;

/** Part of `maxLatencyMs` that a stream plans with, so that a run of twice the predicted time drops none of its requests. */
const OBJECTIVE_SHARE = 0.5;

/** The parts of a batcher that say how much room it has. */
export interface StreamRoomParts<Item> {
  readonly config: Pick<BatcherConfig<Item, unknown>, "engines" | "maxQueueSize" | "maxLatencyMs">;
  /** The size of batch with the best rate, and the largest that may be formed. */
  readonly targetSize: () => number;
  readonly maxRows: () => number;
  readonly admission: AdmissionControl;
  /** Requests that are queued now, and that run. */
  readonly open: () => { readonly queued: number; readonly running: number };
  /** Predicted time until the result of a request for this item that joins the queue now, in milliseconds. */
  readonly predictMs: (item: Item) => number;
}

/** How much streams may ask of a batcher: enough to keep it busy, and never so much that it would refuse them. */
export class StreamRoom<Item> {
  readonly #parts: StreamRoomParts<Item>;
  readonly #listeners = new Set<() => void>();
  #largestBatch = 1;

  constructor(parts: StreamRoomParts<Item>) {
    this.#parts = parts;
  }

  /**
   * Requests that keep the engines busy: two batches of the best size for each, and a few at least, to learn from. With an
   * objective to miss, batches at most double, since the time of a larger one is a guess.
   */
  get appetite(): number {
    const { config, targetSize, maxRows } = this.#parts;
    const best = Math.max(targetSize(), Math.min(LEAST_SIZE, maxRows()));
    const size = config.maxLatencyMs === undefined ? best : Math.min(best, this.#largestBatch);
    return Math.min(2 * (config.engines ?? 1) * size, config.maxQueueSize ?? Infinity);
  }

  /**
   * Whether a request for this item would be let in, with time to spare for the objective. Always true while nothing is open,
   * since no more room is to come then.
   */
  isFor(item: Item): boolean {
    const { config, admission, predictMs } = this.#parts;
    const { queued, running } = this.#parts.open();
    if (queued + running === 0 || admission.isOpen(queued)) return true;
    if (queued >= (config.maxQueueSize ?? Infinity)) return false;
    return predictMs(item) <= OBJECTIVE_SHARE * (config.maxLatencyMs ?? Infinity);
  }

  /** Calls back whenever there may be more room than before, or the batcher was disposed of, until cancelled. */
  onChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  changed(): void {
    for (const callback of this.#listeners) callback();
  }

  /** Notes a batch that has run. */
  ran({ size }: CompletedBatch): void {
    this.#largestBatch = Math.max(this.#largestBatch, size);
  }
}
