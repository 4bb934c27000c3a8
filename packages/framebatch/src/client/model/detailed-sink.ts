import type { DetailedResult } from "../options/model.js";
import type { Clock } from "@framebatch/host/clock.js";
import type { CompletedBatch, Sink } from "@framebatch/batcher/queue/request.js";

/** Settles a promise with the outputs, their origin, the batch and the times. */
export class DetailedSink<Output> implements Sink<Output> {
  readonly #resolve: (result: DetailedResult<Output>) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #clock: Clock;

  constructor(resolve: (result: DetailedResult<Output>) => void, reject: (reason: unknown) => void, clock: Clock) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#clock = clock;
  }

  resolve(outputs: Output, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    this.#resolve({ outputs, ...(batch === null ? this.#cached(enqueuedAtMs) : detailsOf(batch, enqueuedAtMs)) });
  }

  reject(error: unknown): void {
    this.#reject(error);
  }

  #cached(enqueuedAtMs: number): Omit<DetailedResult<unknown>, "outputs"> {
    const totalMs = this.#clock.now() - enqueuedAtMs;
    return { origin: "cache", batch: null, timing: { queueMs: totalMs, inferenceMs: 0, totalMs } };
  }
}

function detailsOf(batch: CompletedBatch, enqueuedAtMs: number): Omit<DetailedResult<unknown>, "outputs"> {
  const { id, origin, size, paddedSize, reason, dispatchedAtMs, completedAtMs, inferenceMs } = batch;
  const timing = { queueMs: dispatchedAtMs - enqueuedAtMs, inferenceMs, totalMs: completedAtMs - enqueuedAtMs };
  return { origin, batch: { id, size, paddedSize, reason }, timing };
}
