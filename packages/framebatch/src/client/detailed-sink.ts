import type { Clock } from "../core/clock.js";
import type { CompletedBatch, Sink } from "../core/request.js";
import type { DetailedResult, Outputs } from "./model.js";

/** Settles a promise with the outputs and how they came about. */
export class DetailedSink implements Sink<Outputs> {
  readonly #resolve: (result: DetailedResult) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #clock: Clock;

  constructor(resolve: (result: DetailedResult) => void, reject: (reason: unknown) => void, clock: Clock) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#clock = clock;
  }

  resolve(outputs: Outputs, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    this.#resolve({ outputs, ...(batch === null ? this.#cached(enqueuedAtMs) : detailsOf(batch, enqueuedAtMs)) });
  }

  reject(error: unknown): void {
    this.#reject(error);
  }

  #cached(enqueuedAtMs: number): Omit<DetailedResult, "outputs"> {
    const totalMs = this.#clock.now() - enqueuedAtMs;
    return { batch: null, timing: { queueMs: totalMs, inferenceMs: 0, totalMs } };
  }
}

function detailsOf(batch: CompletedBatch, enqueuedAtMs: number): Omit<DetailedResult, "outputs"> {
  const { id, size, paddedSize, reason, dispatchedAtMs, completedAtMs, inferenceMs } = batch;
  const timing = { queueMs: dispatchedAtMs - enqueuedAtMs, inferenceMs, totalMs: completedAtMs - enqueuedAtMs };
  return { batch: { id, size, paddedSize, reason }, timing };
}
