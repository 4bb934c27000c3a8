/** How a group failed. `Outcome` documents the fields. */
export interface GroupFailure {
  readonly error: Error;
  readonly isRepeatable?: boolean;
}

/** Finds an outcome for each member of a batch that failed as a whole, by running parts of the batch. */
export interface Search<Member> {
  /** The group to run now. */
  readonly testing: readonly Member[];
  /** Members without an outcome of their own: the group under test and all others that remain. */
  readonly unsettled: readonly Member[];
  /**
   * Reports how the group ended: `null` if it succeeded, or if none of it ran. Members that no request needs any more do
   * not run. Returns whether there is another group to run.
   * @param ran the members of the group that ran
   */
  ended(failure: GroupFailure | null, ran: readonly Member[]): boolean;
  /**
   * The member found to fail without being run alone, because no other member can be the culprit; `null` if there is
   * none.
   */
  readonly culprit: { readonly member: Member; readonly error: Error } | null;
}

/**
 * Runs the members of a batch that ran out of memory in halves, and divides each half again while it is still too
 * large. Runs the parts in order. A member that has succeeded never runs again.
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

  readonly culprit = null;

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

/** Runs each member alone. */
export class OneByOne<Member> implements Search<Member> {
  readonly #members: Member[];
  readonly culprit = null;

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
}
