/**
 * Times that the group has been narrowed down, to a culprit or to a failure that did not come back, after which a batch is
 * taken to be mostly bad, and the rest of it is run one by one.
 */
const NARROWED_TO_GIVE_UP = 3;

/**
 * Finds the members that make a batch fail. It halves: of a group that is known to fail, the first half is run; the
 * culprit is there if that fails, and in the other half if not. Halves that are set aside on the way are run together
 * once the culprit stands alone, so one culprit among n costs at most ceil(log2 n) + 2 further runs, and never more
 * than 3 * (ceil(log2 n) + 2) + n whatever fails. No member is run again after it has succeeded.
 */
export class Bisection<Member> {
  #suspects: readonly Member[];
  #testing: readonly Member[];
  #aside: Member[] = [];
  #narrowed = 0;
  #isSearching = true;

  /** @param failed at least two members that failed together */
  constructor(failed: readonly Member[]) {
    this.#suspects = failed;
    this.#testing = firstHalf(failed);
  }

  /** The group to run now. */
  get testing(): readonly Member[] {
    return this.#testing;
  }

  /** Everyone who has not been run with an outcome of their own: those under test, and those who still wait. */
  get unsettled(): readonly Member[] {
    return [...new Set([...this.#testing, ...(this.#isSearching ? this.#suspects : []), ...this.#aside])];
  }

  /** Tells how the group ended. Returns whether there is another group to run. */
  ended(hasFailed: boolean): boolean {
    return this.#isSearching ? this.#narrow(hasFailed) : this.#judgeRest(hasFailed);
  }

  #narrow(hasFailed: boolean): boolean {
    const others = this.#suspects.slice(this.#testing.length);
    if (hasFailed) this.#aside.push(...others);
    if (this.#testing.length === 1 && (hasFailed || others.length === 0)) {
      this.#narrowed += 1;
      return this.#runRest();
    }
    this.#suspects = hasFailed ? this.#testing : others;
    this.#testing = firstHalf(this.#suspects);
    return true;
  }

  #runRest(): boolean {
    this.#isSearching = false;
    if (this.#aside.length === 0) return false;
    this.#testing = this.#narrowed < NARROWED_TO_GIVE_UP ? this.#aside : this.#aside.slice(0, 1);
    this.#aside = this.#aside.slice(this.#testing.length);
    return true;
  }

  #judgeRest(hasFailed: boolean): boolean {
    if (!hasFailed || this.#testing.length === 1) return this.#runRest();
    this.#isSearching = true;
    this.#suspects = this.#testing;
    this.#testing = firstHalf(this.#suspects);
    return true;
  }
}

/** The longer half where the number is odd; a single member is its own half. */
function firstHalf<Member>(members: readonly Member[]): readonly Member[] {
  return members.slice(0, Math.ceil(members.length / 2));
}
