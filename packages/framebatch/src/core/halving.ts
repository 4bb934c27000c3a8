import type { GroupFailure, Search } from "./search.js";

/**
 * Runs the members of a batch that there was no memory for in parts: in halves, each halved again where it is still too
 * large. In order, and nobody twice who has succeeded.
 */
export class Halving<Member> implements Search<Member> {
  readonly #parts: (readonly Member[])[] = [];

  /** @param failed at least two members */
  constructor(failed: readonly Member[]) {
    this.#halve(failed);
  }

  get testing(): readonly Member[] {
    return this.#parts[0] ?? [];
  }

  get unsettled(): readonly Member[] {
    return this.#parts.flat();
  }

  readonly convicted = null;

  skipped(): boolean {
    return this.ended(null);
  }

  ended(failure: GroupFailure | null): boolean {
    const part = this.#parts.shift() ?? [];
    if (failure !== null && part.length > 1) this.#halve(part);
    return this.#parts.length > 0;
  }

  #halve(members: readonly Member[]): void {
    const middle = Math.ceil(members.length / 2);
    this.#parts.unshift(members.slice(0, middle), members.slice(middle));
  }
}
