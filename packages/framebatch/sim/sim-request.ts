import type { Priority } from "../src/core/queue/priority.js";
import type { Sink } from "../src/core/queue/request.js";
import type { Ledger } from "./ledger.js";

/** The volume of a row at which a cost line holds as written: that of a length of 128. */
export const REFERENCE_VOLUME = 128;

/** The extents of a request where all are alike. */
export const REFERENCE_EXTENTS: readonly number[] = [REFERENCE_VOLUME];

/** One prediction asked for in the virtual world: the item, and where its outcome goes. Its right result is its own id. */
export class SimRequest implements Sink<number> {
  readonly id: number;
  readonly arrivedAtMs: number;
  /** Its length, or its height and width. */
  readonly extents: readonly number[];
  readonly priority: Priority;
  /** Called once it has settled, with whatever outcome. */
  onSettled: (() => void) | null = null;
  isSettled = false;
  readonly #ledger: Ledger;

  constructor(ledger: Ledger, id: number, arrivedAtMs: number, extents: readonly number[], priority: Priority) {
    this.#ledger = ledger;
    this.id = id;
    this.arrivedAtMs = arrivedAtMs;
    this.extents = extents;
    this.priority = priority;
  }

  resolve(result: number): void {
    this.#settle();
    if (result !== this.id) throw new Error(`request ${this.id} was given the result of request ${result}`);
    this.#ledger.answered(this);
    this.onSettled?.();
  }

  reject(): void {
    this.#settle();
    this.#ledger.refused(this);
    this.onSettled?.();
  }

  #settle(): void {
    if (this.isSettled) throw new Error(`request ${this.id} settled twice`);
    this.isSettled = true;
  }
}
