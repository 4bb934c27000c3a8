import type { Sink } from "../core/request.js";

/** Settles a promise with the result alone. */
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
