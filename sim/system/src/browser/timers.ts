import type { Realm } from "../kernel/realm.js";
import type { Task } from "../kernel/world.js";

/** A hidden page runs its timers once a second. */
const HIDDEN_MS = 1000;

/** The timers of one life of a realm. Browsers count in whole milliseconds, and ring late rather than early. */
export class Timers {
  readonly #realm: Realm;
  readonly #isHidden: () => boolean;
  readonly #set = new Map<number, Task>();
  #count = 0;

  constructor(realm: Realm, isHidden: () => boolean) {
    this.#realm = realm;
    this.#isHidden = isHidden;
  }

  get size(): number {
    return this.#set.size;
  }

  begin(): void {
    this.#set.clear();
    this.#count = 0;
  }

  readonly set = (callback: () => void, delayMs = 0): number => {
    const { world } = this.#realm;
    const id = (this.#count += 1);
    const wholeMs = Math.max(0, Math.floor(delayMs));
    const dueMs = this.#isHidden() ? Math.ceil((this.#realm.now() + wholeMs) / HIDDEN_MS) * HIDDEN_MS : null;
    const waitMs = dueMs === null ? wholeMs + world.draw() * 0.5 : dueMs - this.#realm.now();
    const ring = () => {
      // It may have been cleared while it waited for its thread.
      if (this.#set.delete(id)) callback();
    };
    this.#set.set(id, world.post(this.#realm, waitMs, "timer", ring));
    return id;
  };

  readonly clear = (id: number): void => {
    this.#set.get(id)?.cancel();
    this.#set.delete(id);
  };
}
