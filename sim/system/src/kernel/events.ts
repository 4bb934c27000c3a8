/** An event with the members that framebatch reads. */
export class SimEvent {
  readonly type: string;
  defaultPrevented = false;

  constructor(type: string) {
    this.type = type;
  }

  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

export class SimMessageEvent extends SimEvent {
  readonly data: unknown;
  readonly ports: readonly unknown[];
  readonly origin = "https://app.example";

  constructor(type: string, { data = null, ports = [] }: { data?: unknown; ports?: readonly unknown[] }) {
    super(type);
    this.data = data;
    this.ports = ports;
  }
}

export class SimErrorEvent extends SimEvent {
  readonly message: string;

  constructor(type: string, { message = "" }: { message?: string } = {}) {
    super(type);
    this.message = message;
  }
}

/** An event with one more member, such as `error` or `reason`. */
export function eventWith(type: string, members: Readonly<Record<string, unknown>>): SimEvent {
  return Object.assign(new SimEvent(type), members);
}

type Listener = ((event: SimEvent) => void) | { handleEvent(event: SimEvent): void };

interface Registration {
  readonly listener: Listener;
  readonly once: boolean;
}

interface ListenerOptions {
  readonly once?: boolean;
  readonly signal?: AbortSignal;
}

/** A target of events. An exception in a listener goes to `report`, as in a browser, and the next listener hears the event. */
export class Target {
  #listeners = new Map<string, Registration[]>();

  addEventListener(type: string, listener: Listener | null, options?: ListenerOptions | boolean): void {
    const { once = false, signal } = typeof options === "object" ? options : {};
    if (listener === null || signal?.aborted) return;
    const known = this.#listeners.get(type) ?? [];
    if (known.some((registration) => registration.listener === listener)) return;
    this.#listeners.set(type, [...known, { listener, once }]);
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
  }

  removeEventListener(type: string, listener: Listener | null): void {
    const known = this.#listeners.get(type);
    if (known === undefined) return;
    const kept = known.filter((registration) => registration.listener !== listener);
    if (kept.length === 0) this.#listeners.delete(type);
    else this.#listeners.set(type, kept);
  }

  dispatchEvent(event: SimEvent): boolean {
    for (const { listener, once } of this.#listeners.get(event.type) ?? []) {
      const isStill = this.#listeners.get(event.type)?.some((registration) => registration.listener === listener);
      if (!isStill) continue;
      if (once) this.removeEventListener(event.type, listener);
      try {
        if (typeof listener === "function") Reflect.apply(listener, this, [event]);
        else listener.handleEvent(event);
      } catch (error) {
        this.report(error);
      }
    }
    const handler: unknown = Reflect.get(this, `on${event.type}`);
    if (typeof handler === "function") Reflect.apply(handler, this, [event]);
    return !event.defaultPrevented;
  }

  countListeners(): number {
    let count = 0;
    for (const registrations of this.#listeners.values()) count += registrations.length;
    return count;
  }

  clearListeners(): void {
    this.#listeners = new Map();
  }

  /** Receives what a listener throws. */
  protected report(error: unknown): void {
    throw error;
  }
}
