import type { Witness } from "../logs/witness.js";
import type { ItemSpec } from "../scenario/scenario.js";

/** What goes through a pipeline: an item, and for each split around it which part of it this is. */
export interface Token {
  readonly item: ItemSpec;
  readonly path: readonly number[];
}

/** Parts of streams that a stage without a batch size has in work: `MIN_SLOTS` in `step.ts`. */
const SLOTS = 8;
/** Items of a stream that are in no stage yet: one is at the entrance, and one waits for it. */
const WAITING = 2;

/** Watches what a pipeline passes to the functions that it calls itself, and what it takes of its streams. */
export class StageWatch {
  readonly #witness: Witness;
  readonly #begun = new Set<string>();
  readonly #working = new Map<number, Set<{ readonly signal: AbortSignal }>>();
  /** Items of lists that a stream has taken, and the first stage has not. */
  readonly #waiting = new Map<Token, Set<Token>>();

  constructor(witness: Witness) {
    this.#witness = witness;
  }

  /** A function gets a part. Returns how to say that it has ended. */
  begins(place: number, { item, path }: Token, signal: AbortSignal): () => void {
    const name = `stage ${place} with item ${item.id} ${path.join(".")}`;
    if (this.#begun.has(name)) this.#witness.broken("stages", `${name} begins twice`);
    this.#begun.add(name);
    if (this.#witness.askerOf(item.id)?.kind === "predict") return () => undefined;
    const working = this.#working.get(place) ?? new Set();
    this.#working.set(place, working);
    const work = { signal };
    working.add(work);
    const count = [...working].filter((other) => !other.signal.aborted).length;
    if (count > SLOTS) this.#witness.broken("slots", `stage ${place} has ${count} parts of streams`);
    return () => working.delete(work);
  }

  /** The first stage takes an item. */
  enters(token: Token): void {
    this.#waiting.get(token)?.delete(token);
  }

  /** Returns a list that a stream reads item by item. */
  *read(tokens: readonly Token[]): Generator<Token> {
    const waiting = new Set<Token>();
    for (const token of tokens) {
      waiting.add(token);
      this.#waiting.set(token, waiting);
      if (waiting.size > WAITING) this.#witness.broken("slots", `${waiting.size} items of a stream wait to enter`);
      yield token;
    }
  }
}
