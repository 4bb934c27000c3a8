import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { after } from "@framebatch/host/host-timer.js";
import type { ModelEventTarget } from "./model-events.js";

/**
 * Reports warnings as events of the model. Collects those from before the model exists, and dispatches them in a later
 * task, so that the user can add listeners first.
 */
export class Warnings {
  readonly #early: FramebatchError[] = [];
  #events: ModelEventTarget | null = null;

  add(error: Error): void {
    const warning =
      error instanceof FramebatchError
        ? error
        : new FramebatchError("CACHE_FAILED", error.message, { cause: error.cause });
    if (this.#events === null) this.#early.push(warning);
    else this.#events.dispatch("error", warning);
  }

  reportTo(events: ModelEventTarget): void {
    after(0, () => {
      this.#events = events;
      for (const warning of this.#early) events.dispatch("error", warning);
    });
  }
}
