import type { ModelSession } from "./model-session.js";

/** Items that are tried on the next provider as well; more of them, and it is the items that are wrong. */
const MAX_DOUBTED_ITEMS = 3;

/** Remembers of providers that were accepted without a run whether one is still to be doubted for an item that fails. */
export class ProviderProbation {
  readonly #proven = new WeakSet<ModelSession>();
  #triesLeft = MAX_DOUBTED_ITEMS;

  /** The session has run an item, so its provider is right. */
  hasRun(session: ModelSession): void {
    if (session.model.isProvisional) this.#proven.add(session);
  }

  /** Whether an item that fails on the session is worth a try elsewhere. Counts it as tried. */
  isOpen(session: ModelSession): boolean {
    if (!session.model.isProvisional || this.#proven.has(session) || this.#triesLeft === 0) return false;
    this.#triesLeft -= 1;
    return true;
  }
}
