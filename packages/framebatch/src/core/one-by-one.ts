import type { Search } from "./search.js";

/** Runs each of some members alone. */
export class OneByOne<Member> implements Search<Member> {
  readonly #members: Member[];
  readonly convicted = null;

  constructor(members: readonly Member[]) {
    this.#members = [...members];
  }

  get testing(): readonly Member[] {
    return this.#members.slice(0, 1);
  }

  get unsettled(): readonly Member[] {
    return this.#members;
  }

  ended(): boolean {
    this.#members.shift();
    return this.#members.length > 0;
  }

  skipped(): boolean {
    return this.ended();
  }
}
