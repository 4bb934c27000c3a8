import { OpenSet } from "../../core/open-set.js";
import { after } from "../../time/host-timer.js";

/** Default of the maximum delay before a worker is terminated, in milliseconds, to let it return what it has borrowed. */
const GRACE_MS = 500;

/**
 * Tracks what a worker has borrowed: rows that have moved there, and the database of models. A failed worker can usually still
 * answer, for example after it has lost its device or thrown an error. So its termination waits until everything is
 * returned. Loans are lost only with a worker that no longer answers.
 */
export class Loans {
  readonly #open = new OpenSet<(reason: unknown) => void>();
  #end: (() => void) | null = null;

  /** Whether anything has not been returned. */
  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Registers a loan and settles as `call` does. Rejects if the worker is terminated first. */
  lend<Back>(call: PromiseLike<Back>): Promise<Back> {
    return new Promise((resolve, reject) => {
      this.#open.add(reject);
      const settle = () => {
        this.#open.delete(reject);
        if (this.#open.size === 0) this.#end?.();
      };
      void call.then(resolve, reject).then(settle);
    });
  }

  /**
   * Calls `terminate` when all loans are returned, or after `graceMs`. Calls it synchronously if there are no loans.
   * @param reason error with which the loans that are then still open reject
   * @param graceMs in milliseconds
   */
  terminateAfterReturns(terminate: () => void, reason: unknown, graceMs = GRACE_MS): void {
    if (this.#open.size === 0) return terminate();
    const cancel = after(graceMs, () => this.#end?.());
    this.#end = () => {
      this.#end = null;
      cancel();
      terminate();
      for (const reject of this.#open) reject(reason);
    };
  }
}
