import { after } from "../../time/host-timer.js";

/** How long a worker that is to be ended may take to give back what was lent to it, in milliseconds. */
const GRACE_MS = 500;

/**
 * What a worker has been lent: rows, and the database of models. One that is to be ended can mostly still answer: its device is
 * lost, or something in it has thrown. So it lives until all is back, and what was lent is lost only with a worker that hears
 * nothing any more.
 */
export class Loans {
  readonly #open = new Set<(reason: unknown) => void>();
  #end: (() => void) | null = null;

  /** Resolves to what comes back. Rejects once the worker has been ended without it. */
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

  /** Ends the worker as soon as nothing is lent to it. */
  terminateAfterReturns(terminate: () => void, reason: unknown): void {
    if (this.#open.size === 0) return terminate();
    const cancel = after(GRACE_MS, () => this.#end?.());
    this.#end = () => {
      this.#end = null;
      cancel();
      terminate();
      for (const reject of this.#open) reject(reason);
    };
  }
}
