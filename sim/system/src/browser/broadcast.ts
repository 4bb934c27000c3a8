import { realmNow } from "../kernel/stage.js";
import type { Realm } from "../kernel/realm.js";
import { cloneMessage } from "./clone.js";
import { SimMessageEvent, Target } from "../kernel/events.js";
import { MESSAGE_MS } from "./ports.js";

/** The open channels of an origin. */
export class Broadcasts {
  readonly #open = new Set<Broadcast>();

  /** Number of channels that live realms have not closed. */
  get size(): number {
    return this.of(null).length;
  }

  /** Returns the open channels of a name, or all. */
  of(name: string | null): Broadcast[] {
    return [...this.#open].filter((channel) => channel.isLive && (name === null || channel.name === name));
  }

  add(channel: Broadcast): void {
    this.#open.add(channel);
  }

  delete(channel: Broadcast): void {
    this.#open.delete(channel);
  }
}

/** A `BroadcastChannel`. */
export class Broadcast extends Target {
  readonly name: string;
  readonly #realm: Realm;
  readonly #life: number;
  readonly #lane = { atMs: 0, order: 0 };

  constructor(name: string) {
    super();
    this.name = name;
    this.#realm = realmNow();
    this.#life = this.#realm.life;
    this.#realm.origin.broadcasts.add(this);
  }

  get isLive(): boolean {
    return this.#realm.life === this.#life;
  }

  postMessage(message: unknown): void {
    for (const channel of this.#realm.origin.broadcasts.of(this.name)) if (channel !== this) channel.#hear(message);
  }

  close(): void {
    this.#realm.origin.broadcasts.delete(this);
  }

  #hear(message: unknown): void {
    const { world } = this.#realm;
    const event = new SimMessageEvent("message", { data: cloneMessage(message, [], this.#realm) });
    world.post(this.#realm, world.latency(MESSAGE_MS), "broadcast", () => this.dispatchEvent(event), this.#lane);
  }

  protected override report(error: unknown): void {
    this.#realm.reportError(error);
  }
}
