import type { Realm } from "../kernel/realm.js";
import type { Fates } from "../runtime/fates.js";
import type { ItemSpec } from "../scenario/scenario.js";
import { expectedOf } from "./items.js";

/** Number of runs that a function has at a time, unless it does not batch. */
export const SLOTS = 2;

/** What a function throws for an item that makes its run fail. */
export class PoisonError extends Error {}

/** The first run of an item. */
interface Begun {
  readonly atMs: number;
  /** Number of runs before it. */
  readonly runs: number;
}

/** The runs of a batched function: those of a simulated server or library on the page. */
export class FunctionRuns {
  readonly #realm: Realm;
  readonly #fates: Fates;
  readonly #isSerial: boolean;
  /** Runs in progress, those that hang included. */
  running = 0;
  /** Since when no run has been in progress, in milliseconds; `Infinity` while one is. */
  freeSinceMs = 0;
  /** Number of times that a run has begun or ended. */
  events = 0;
  /** Runs that hang for ever. */
  hanging = 0;
  /** Items that are in a run that hangs for ever, or in a batch whose parts run one after the other, behind such a run. */
  readonly stuck = new Set<number>();
  /** Items that were alone in a run that failed. */
  readonly failedAlone = new Set<number>();
  /** The longest run so far that has ended, in milliseconds. */
  longestMs = 0;
  /** The most items of a run that has ended. */
  #most = 0;
  /** The items of each run in progress. */
  readonly #open = new Set<readonly ItemSpec[]>();
  /** When all runs so far are computed. */
  #freeAtMs = 0;
  /** The items that a run has begun with. */
  readonly begun = new Map<number, Begun>();
  #runs = 0;

  readonly #failed: (readonly ItemSpec[])[] = [];

  /** @param isSerial whether a run waits for the one before it, as in a library that has one session */
  constructor(realm: Realm, fates: Fates, isSerial: boolean) {
    this.#realm = realm;
    this.#fates = fates;
    this.#isSerial = isSerial;
  }

  /**
   * How long the runs in progress may be expected to take after those that have ended, in milliseconds. Nobody knows how much
   * longer a run takes that has more items than each before: in proportion, at most.
   */
  get expectedMs(): number {
    const items = Math.max(0, ...Array.from(this.#open, ({ length }) => length));
    return this.longestMs * Math.max(1, items / Math.max(1, this.#most));
  }

  async run(items: readonly ItemSpec[]): Promise<unknown[]> {
    const { world } = this.#realm;
    const fate = this.#fates.next();
    const poisons = items.map(({ poison }) => poison);
    world.note(`call ${items.map(({ id }) => id).join()} ${fate}`);
    this.running += 1;
    this.freeSinceMs = Infinity;
    this.#open.add(items);
    this.events += 1;
    this.#begin(items);
    if (poisons.includes("hang") || fate === "hang") {
      this.hanging += 1;
      this.#stick(items);
      return new Promise(() => undefined);
    }
    const ms = (this.#fates.baseMs + this.#fates.rowMs * items.length) * (fate === "slow" ? 20 : 1);
    const takesMs = this.#waitMs() + ms;
    this.#freeAtMs = world.nowMs + takesMs;
    await new Promise<void>((resolve) => void world.reply(this.#realm, takesMs, "answered", resolve));
    this.running -= 1;
    if (this.running === 0) this.freeSinceMs = world.nowMs;
    this.#open.delete(items);
    this.events += 1;
    this.#most = Math.max(this.#most, items.length);
    this.longestMs = Math.max(this.longestMs, ms);
    if (poisons.some((poison) => poison !== undefined) || ["trap", "fail", "oom", "exit"].includes(fate)) {
      // A batch may be padded with its last item.
      const [only, ...others] = new Set(items.map(({ id }) => id));
      if (only !== undefined && others.length === 0) this.failedAlone.add(only);
      this.#failed.push(items);
      throw new PoisonError(`a run of ${items.length} failed`);
    }
    return items.map((item) => expectedOf(item, 1));
  }

  /** How long a run waits for the one before it. One that hangs holds up no other. */
  #waitMs(): number {
    return this.#isSerial ? Math.max(0, this.#freeAtMs - this.#realm.world.nowMs) : 0;
  }

  #begin(items: readonly ItemSpec[]): void {
    const begun = { atMs: this.#realm.world.nowMs, runs: (this.#runs += 1) };
    for (const { id } of items) if (!this.begun.has(id)) this.begun.set(id, begun);
  }

  #stick(items: readonly ItemSpec[]): void {
    const behind = this.#failed.filter((group) => group.some(({ id }) => items.some((item) => item.id === id)));
    for (const { id } of [...items, ...behind.flat()]) this.stuck.add(id);
  }
}
