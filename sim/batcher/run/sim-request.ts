import type { Priority, Sink } from "@framebatch/batcher/queue/request.js";
import type { Ledger } from "./ledger.js";

/** The row volume to which a cost function applies unscaled: a length of 128. */
export const REFERENCE_VOLUME = 128;

/** The extents of a request where all requests are alike. */
export const REFERENCE_EXTENTS: readonly number[] = [REFERENCE_VOLUME];

/** One prediction in the simulated world: the item and the sink of its outcome. Its correct result is its own id. */
export class SimRequest implements Sink<number> {
  readonly id: number;
  readonly arrivedAtMs: number;
  /** Its length, or its height and width. */
  readonly extents: readonly number[];
  readonly priority: Priority;
  /** Called once the request settles, with any outcome. */
  onSettled: (() => void) | null = null;
  isSettled = false;
  /** When the task began in which it was made. Set by the ledger. */
  burstAtMs = 0;
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
