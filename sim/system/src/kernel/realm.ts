import type { World } from "./world.js";
import type { Origin } from "../browser/origin.js";
import { Target } from "./events.js";

/** What a realm tells when its code fails. */
export interface Uncaught {
  readonly realm: string;
  readonly kind: "error" | "rejection";
  readonly thrown: unknown;
}

/**
 * A thread of the simulated browser: a page or a worker. The module graph of a realm costs a millisecond to make, and is cold, so
 * realms are used again by later scenarios: `begin` starts a new life, and nothing of an earlier life runs any more.
 */
export class Realm extends Target {
  name = "";
  /** Grows with each begin and end. A task of an earlier life never runs. */
  life = 0;
  isEnded = true;
  isFrozen = false;
  /** The thread computes until then. */
  busyUntilMs = 0;
  /** The time at which the life began: the origin of its clock. */
  originMs = 0;
  world!: World;
  origin!: Origin;
  /** Called with each error that nothing caught. */
  onUncaught: (uncaught: Uncaught) => void = () => undefined;
  /** The threads that this one has started, and that run. */
  readonly children = new Set<Realm>();
  /** Called when this life ends. */
  readonly ends = new Set<() => void>();
  readonly #renewals: (() => void)[] = [];
  #waiting: (() => void)[] = [];
  #isDraining = false;

  begin(world: World, origin: Origin, name: string): void {
    this.clearListeners();
    this.world = world;
    this.origin = origin;
    this.name = name;
    this.life += 1;
    this.isEnded = false;
    this.isFrozen = false;
    this.busyUntilMs = 0;
    this.originMs = world.nowMs;
    this.ends.clear();
    this.children.clear();
    this.#waiting = [];
    this.#isDraining = false;
  }

  /** Ends this life, as a crash does: at once, without a word. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.life += 1;
    const ends = [...this.ends];
    this.ends.clear();
    for (const callback of ends) callback();
  }

  /** Takes what begins the variables of a module anew. */
  readonly onNewLife = (renew: () => void): void => {
    this.#renewals.push(renew);
  };

  /** Begins the variables of all modules anew, and does what modules do when they are loaded. */
  protected renew(): void {
    for (const renew of this.#renewals) renew();
  }

  now(): number {
    return this.world.nowMs - this.originMs;
  }

  /** Keeps the thread busy: none of its tasks runs before `untilMs`. */
  occupy(untilMs: number): void {
    this.busyUntilMs = Math.max(this.busyUntilMs, untilMs);
  }

  /** Freezes the thread and those that it has started, as browsers do. */
  freeze(): void {
    this.isFrozen = true;
    for (const realm of this.children) realm.freeze();
  }

  thaw(): void {
    this.isFrozen = false;
    for (const realm of this.children) realm.thaw();
    this.#drain();
  }

  /** Whether a task must wait: the thread is busy or frozen, or others wait already. */
  get isOccupied(): boolean {
    return this.isFrozen || this.busyUntilMs > this.world.nowMs || this.#waiting.length > 0;
  }

  /** Whether the thread will never do anything again. */
  get hangs(): boolean {
    return this.busyUntilMs === Infinity;
  }

  /** Runs a task once the thread is free, after those that wait already. */
  wait(task: () => void): void {
    this.#waiting.push(task);
    this.#drain();
  }

  reportError(thrown: unknown): void {
    this.onUncaught({ realm: this.name, kind: "error", thrown });
  }

  reportRejection(thrown: unknown): void {
    this.onUncaught({ realm: this.name, kind: "rejection", thrown });
  }

  /** Runs the tasks that wait, one at a time. */
  #drain(): void {
    if (this.#isDraining || this.isFrozen || this.hangs || this.#waiting.length === 0) return;
    this.#isDraining = true;
    const { life } = this;
    this.world.post(null, Math.max(0, this.busyUntilMs - this.world.nowMs), "free", () => {
      if (this.life !== life) return;
      this.#isDraining = false;
      if (!this.isFrozen && this.busyUntilMs <= this.world.nowMs) this.#waiting.shift()?.();
      this.#drain();
    });
  }
}
