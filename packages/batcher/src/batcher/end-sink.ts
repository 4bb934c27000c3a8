import type { CompletedBatch, Sink } from "../queue/request.js";

/** Passes the outcome of a request on, then calls back. */
export class EndSink<Result> implements Sink<Result> {
  readonly #sink: Sink<Result>;
  readonly #onEnd: () => void;

  constructor(sink: Sink<Result>, onEnd: () => void) {
    this.#sink = sink;
    this.#onEnd = onEnd;
  }

  resolve(result: Result, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    try {
      this.#sink.resolve(result, batch, enqueuedAtMs);
    } finally {
      this.#onEnd();
    }
  }

  reject(error: unknown): void {
    try {
      this.#sink.reject(error);
    } finally {
      this.#onEnd();
    }
  }
}
