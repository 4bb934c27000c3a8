/** How a group failed, as in `Outcome`. */
export interface GroupFailure {
  readonly error: Error;
  readonly isRepeatable?: boolean;
}

/** How the members of a batch that failed as a whole each come to an outcome of their own: by running parts of it. */
export interface Search<Member> {
  /** The group to run now. */
  readonly testing: readonly Member[];
  /** Everyone who has not been run with an outcome of their own: those under test, and those who still wait. */
  readonly unsettled: readonly Member[];
  /** Tells how the group ended: `null` where it ran well. Returns whether there is another group to run. */
  ended(failure: GroupFailure | null): boolean;
  /** Tells that nobody in the group wants an answer any more, so that it was not run. Returns as `ended`. */
  skipped(): boolean;
  /** Who fails without having been run alone, since nobody else can be the culprit; `null` while that is not known. */
  readonly convicted: { readonly member: Member; readonly error: Error } | null;
}

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
