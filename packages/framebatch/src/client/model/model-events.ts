import type { ModelEvents } from "../options/model.js";

type Listener<Type extends keyof ModelEvents> = (event: CustomEvent<ModelEvents[Type]>) => void;

/** Events of a model. An event of a type that nobody has listened to costs nothing. */
export class ModelEventTarget {
  readonly #target = new EventTarget();
  readonly #types = new Set<string>();
  /** What was added to the target for a listener: the same for the same, so that adding twice is adding once. */
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
