/** How a group failed. `Outcome` documents the fields. */
interface GroupFailure {
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
   * Reports how the group ended: `null` if it succeeded, or if none of it ran. Members that no request needs any more
   * do not run. Returns whether there is another group to run.
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

/**
 * A search that has narrowed the group down this many times (to a culprit, or to a failure that did not recur) gives up
 * if the rest of the batch still fails. It then assumes that most of the rest is bad and runs it one by one.
 */
const NARROWED_TO_GIVE_UP = 3;

/**
 * Finds the members that make a batch fail, by bisection. Of a group that is known to fail, the first half is run. If
 * it fails, the culprit is in that half, otherwise in the other one. Halves that are set aside on the way are run
 * together once the culprit is isolated. A member that has succeeded never runs again.
 *
 * If every other suspect has succeeded, the remaining member is the culprit. It is not run alone if a group that
 * contains it has failed again in this search with a repeatable error. One culprit among n therefore costs at most
 * ceil(log2 n) + 1 further runs, and one more if failures may be random. The total never exceeds
 * 3 * (ceil(log2 n) + 2) + n further runs, whatever fails.
 */
export class Bisection<Member> implements Search<Member> {
  #suspects: readonly Member[];
  #testing: readonly Member[];
  #aside: Member[] = [];
  #narrowed = 0;
  #isSearching = true;
  #isGivenUp = false;
  /**
   * The error of a group that holds all suspects, from a repeatable failure in this search; `null` if there was none.
   */
  #proof: Error | null = null;
  #culprit: { readonly member: Member; readonly error: Error } | null = null;

  /** @param failed at least two members that failed together */
  constructor(failed: readonly Member[]) {
    this.#suspects = failed;
    this.#testing = firstHalf(failed);
  }

  get testing(): readonly Member[] {
    return this.#testing;
  }

  get unsettled(): readonly Member[] {
    return [...(this.#isSearching ? this.#suspects : this.#testing), ...this.#aside];
  }

  get culprit(): { readonly member: Member; readonly error: Error } | null {
    return this.#culprit;
  }

  ended(failure: GroupFailure | null, ran: readonly Member[]): boolean {
    const others = this.#suspects.slice(this.#testing.length);
    const hasFailed = failure !== null;
    if (hasFailed) this.#proof = failure.isRepeatable ? failure.error : null;
    // A member that did not run may be the culprit of the group that failed, so nothing is left against the others.
    else if (ran.length < this.#testing.length) this.#proof = null;
    // Nobody waits for a member that did not run: it is no suspect, and the others do not run again without it.
    if (hasFailed) this.#testing = ran;
    return this.#isSearching ? this.#narrow(hasFailed, others) : this.#judgeRest(hasFailed);
  }

  #narrow(hasFailed: boolean, others: readonly Member[]): boolean {
    if (hasFailed) this.#aside.push(...others);
    else if (others.length === 1 && this.#proof !== null) return this.#convict(others[0]!, this.#proof);
    if (this.#testing.length === 1 && (hasFailed || others.length === 0)) {
      this.#narrowed += 1;
      return this.#runRest();
    }
    this.#suspects = hasFailed ? this.#testing : others;
    this.#testing = firstHalf(this.#suspects);
    return true;
  }

  #convict(member: Member, error: Error): boolean {
    this.#culprit = { member, error };
    this.#narrowed += 1;
    return this.#runRest();
  }

  #runRest(): boolean {
    this.#isSearching = false;
    if (this.#aside.length === 0) return false;
    this.#testing = this.#isGivenUp ? this.#aside.slice(0, 1) : this.#aside;
    this.#aside = this.#aside.slice(this.#testing.length);
    return true;
  }

  #giveUp(): boolean {
    this.#isGivenUp = true;
    this.#aside = [...this.#testing];
    return this.#runRest();
  }

  #judgeRest(hasFailed: boolean): boolean {
    if (!hasFailed || this.#testing.length === 1) return this.#runRest();
    if (this.#narrowed >= NARROWED_TO_GIVE_UP) return this.#giveUp();
    this.#isSearching = true;
    this.#proof = null;
    this.#suspects = this.#testing;
    this.#testing = firstHalf(this.#suspects);
    return true;
  }
}

/** Returns the first half, which is the longer one of an odd number. Returns a single member as it is. */
function firstHalf<Member>(members: readonly Member[]): readonly Member[] {
  return members.slice(0, Math.ceil(members.length / 2));
}
