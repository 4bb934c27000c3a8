import type { Lane, World } from "./world.js";
import type { Origin } from "../browser/origin.js";
import { Target } from "../browser/events.js";

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
  /** It has been frozen in this life: what ran meanwhile seems to have taken that long. */
  wasFrozen = false;
  /** The thread computes until then. */
  busyUntilMs = 0;
  /** The time at which the life began: the origin of its clock. */
  originMs = 0;
  world!: World;
  origin!: Origin;
  /** Called with each error that nothing caught. */
  onUncaught: (uncaught: Uncaught) => void = () => undefined;
  /** Called when this life ends. */
  readonly ends = new Set<() => void>();
  #held: (() => void)[] = [];
  #waiting: (() => void)[] = [];
  #lane: Lane = { atMs: 0, order: 0 };

  begin(world: World, origin: Origin, name: string): void {
    this.clearListeners();
    this.world = world;
    this.origin = origin;
    this.name = name;
    this.life += 1;
    this.isEnded = false;
    this.isFrozen = false;
    this.wasFrozen = false;
    this.busyUntilMs = 0;
    this.originMs = world.nowMs;
    this.ends.clear();
    this.#lane = { atMs: 0, order: 0 };
    this.#held = [];
    this.#waiting = [];
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

  now(): number {
    return this.world.nowMs - this.originMs;
  }

  /** Keeps the thread busy: none of its tasks runs before `untilMs`. */
  occupy(untilMs: number): void {
    this.busyUntilMs = Math.max(this.busyUntilMs, untilMs);
  }

  freeze(): void {
    this.isFrozen = true;
    this.wasFrozen = true;
  }

  thaw(): void {
    this.isFrozen = false;
    const held = this.#held;
    this.#held = [];
    for (const task of held) this.#later(0, task);
  }

  holdTask(task: () => void): void {
    this.#held.push(task);
  }

  /** Runs a task once the thread is free, after those that wait already. */
  wait(task: () => void): void {
    this.#waiting.push(task);
    if (this.#waiting.length > 1 || this.busyUntilMs === Infinity) return;
    this.#drainWhenFree();
  }

  reportError(thrown: unknown): void {
    this.onUncaught({ realm: this.name, kind: "error", thrown });
  }

  reportRejection(thrown: unknown): void {
    this.onUncaught({ realm: this.name, kind: "rejection", thrown });
  }

  #drainWhenFree(): void {
    const { life } = this;
    this.world.post(null, Math.max(0, this.busyUntilMs - this.world.nowMs), "free", () => {
      if (this.life !== life) return;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const task of waiting) this.#later(0, task);
    });
  }

  #later(delayMs: number, task: () => void): void {
    const { life } = this;
    this.world.post(
      null,
      delayMs,
      "again",
      () => {
        if (this.life === life) task();
      },
      this.#lane,
    );
  }
}
