import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ModelEvents } from "../options/model.js";
import { after } from "@framebatch/host/host-timer.js";

type Listener<Type extends keyof ModelEvents> = (event: CustomEvent<ModelEvents[Type]>) => void;

/** The events of a model. An event type that never had a listener costs nothing to dispatch. */
export class ModelEventTarget {
  readonly #target = new EventTarget();
  readonly #types = new Set<string>();
  /** The handler of each listener. A listener keeps its handler, so that adding it twice adds it once. */
  readonly #handlers = new WeakMap<object, (event: Event) => void>();

  add<Type extends keyof ModelEvents>(type: Type, listener: Listener<Type>, options?: AddEventListenerOptions): void {
    this.#types.add(type);
    this.#target.addEventListener(type, this.#handlerFor(listener), options);
  }

  remove<Type extends keyof ModelEvents>(type: Type, listener: Listener<Type>): void {
    this.#target.removeEventListener(type, this.#handlerFor(listener));
  }

  dispatch<Type extends keyof ModelEvents>(type: Type, detail: ModelEvents[Type]): void {
    if (this.#types.has(type)) this.#target.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #handlerFor<Type extends keyof ModelEvents>(listener: Listener<Type>): (event: Event) => void {
    let handler = this.#handlers.get(listener);
    if (handler === undefined) {
      handler = (event) => event instanceof CustomEvent && listener(event);
      this.#handlers.set(listener, handler);
    }
    return handler;
  }
}

/** Returns the detail of the `error` event for an error of the page's side of a model. */
export function asModelError(error: Error): FramebatchError {
  if (error instanceof FramebatchError) return error;
  const message = `The page's half of the model threw: ${error.message}. The requests that it concerns reject; others go on.`;
  return new FramebatchError("INFERENCE_FAILED", message, { cause: error });
}

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
