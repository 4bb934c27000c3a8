import type { GroupFailure, Search } from "./failure-search.js";

/**
 * Times that the group has been narrowed down, to a culprit or to a failure that did not come back, after which a batch whose
 * rest still fails is taken to be mostly bad, and run one by one.
 */
const NARROWED_TO_GIVE_UP = 3;

/**
 * Finds the members that make a batch fail. It halves: of a group that is known to fail, the first half is run; the
 * culprit is there if that fails, and in the other half if not. Halves that are set aside on the way are run together
 * once the culprit stands alone. No member is run again after it has succeeded.
 *
 * Who is left when everyone beside it has run well is the culprit, and is not run alone, if a group with it in it has failed
 * once more in this search, in a way that is repeatable. So one culprit among n costs at most ceil(log2 n) + 1 further runs, one
 * more where failures may be chance, and never more than 3 * (ceil(log2 n) + 2) + n whatever fails.
 */
export class Bisection<Member> implements Search<Member> {
  #suspects: readonly Member[];
  #testing: readonly Member[];
  #aside: Member[] = [];
  #narrowed = 0;
  #isSearching = true;
  #isGivenUp = false;
  /** How a group that holds all suspects failed in this search; `null` while that happened only before it. */
  #proof: Error | null = null;
  #convicted: { readonly member: Member; readonly error: Error } | null = null;

  /** @param failed at least two members that failed together */
  constructor(failed: readonly Member[]) {
    this.#suspects = failed;
    this.#testing = firstHalf(failed);
  }

  get testing(): readonly Member[] {
    return this.#testing;
  }

  get unsettled(): readonly Member[] {
    return [...new Set([...this.#testing, ...(this.#isSearching ? this.#suspects : []), ...this.#aside])];
  }

  get convicted(): { readonly member: Member; readonly error: Error } | null {
    return this.#convicted;
  }

  ended(failure: GroupFailure | null): boolean {
    if (failure !== null) this.#proof = failure.isRepeatable ? failure.error : null;
    return this.#isSearching ? this.#narrow(failure !== null) : this.#judgeRest(failure !== null);
  }

  skipped(): boolean {
    // Those who were not run have not shown that they run well.
    this.#proof = null;
    return this.ended(null);
  }

  #narrow(hasFailed: boolean): boolean {
    const others = this.#suspects.slice(this.#testing.length);
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
    this.#convicted = { member, error };
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

/** The longer half where the number is odd; a single member is its own half. */
function firstHalf<Member>(members: readonly Member[]): readonly Member[] {
  return members.slice(0, Math.ceil(members.length / 2));
}
