import type { ModelSession } from "./model-session.js";

/** Maximum number of failed items to retry on the next provider. If more fail, the items are at fault. */
const MAX_DOUBTED_ITEMS = 3;

/**
 * Decides whether a failed item is retried on the next provider. Applies to sessions whose provider was accepted
 * without a run (`isProvisional`): the failure may be the provider's.
 */
export class ProviderProbation {
  readonly #proven = new WeakSet<ModelSession>();
  #triesLeft = MAX_DOUBTED_ITEMS;

  /** Notes that the session has run an item, so its provider works. */
  hasRun(session: ModelSession): void {
    this.#proven.add(session);
  }

  /** Returns true if an item that failed on the session should be retried on the next provider. Counts the retry. */
  isOpen(session: ModelSession): boolean {
    if (!session.model.isProvisional || this.#proven.has(session) || this.#triesLeft === 0) return false;
    this.#triesLeft -= 1;
    return true;
  }
}
