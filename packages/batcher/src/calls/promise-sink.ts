import type { Sink } from "../queue/request.js";

/** Settles a promise with the result only. */
export class PromiseSink<Result> implements Sink<Result> {
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;

  constructor(resolve: (result: Result) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  resolve(result: Result): void {
    this.#resolve(result);
  }

  reject(error: unknown): void {
    this.#reject(error);
  }
}
