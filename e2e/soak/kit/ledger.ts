/** The outcomes of the requests of a run. */
export interface Account {
  /** Requests made. */
  readonly n: number;
  readonly answered: number;
  /** Rejected for a reason of their own: aborted, timed out, poison, or rejected by a full queue. */
  readonly excused: number;
  /** Rejected without a reason of their own. */
  readonly failed: number;
  /** Never settled. */
  readonly lost: number;
  /** Answered with a value that is not bit-identical to the expected one. */
  readonly wrong: number;
  /** Settled more than once. */
  readonly duplicated: number;
  /** The number of rejections by error. */
  readonly errors: Readonly<Record<string, number>>;
}

/** The SDK's own counts of the same requests: a part of `stats().requests`. */
export interface OwnAccount {
  readonly accepted: number;
  readonly completed: number;
  readonly queued: number;
  readonly inFlight: number;
}

/** Returns the sum of several accounts. */
export function summed(accounts: readonly Account[]): Account {
  const sum = (part: (account: Account) => number) => accounts.reduce((total, account) => total + part(account), 0);
  const errors = new Map<string, number>();
  for (const [name, count] of accounts.flatMap((account) => Object.entries(account.errors))) {
    errors.set(name, (errors.get(name) ?? 0) + count);
  }
  return {
    n: sum(({ n }) => n),
    answered: sum(({ answered }) => answered),
    excused: sum(({ excused }) => excused),
    failed: sum(({ failed }) => failed),
    lost: sum(({ lost }) => lost),
    wrong: sum(({ wrong }) => wrong),
    duplicated: sum(({ duplicated }) => duplicated),
    errors: Object.fromEntries(errors),
  };
}

/** Records the outcome of every request of a run, by number. */
export class Ledger {
  readonly #open = new Set<number>();
  readonly #errors = new Map<string, number>();
  #made = 0;
  #answered = 0;
  #excused = 0;
  #failed = 0;
  #lost = 0;
  #wrong = 0;
  #duplicated = 0;

  /** The number of requests that have not settled. */
  get open(): number {
    return this.#open.size;
  }

  get made(): number {
    return this.#made;
  }

  /** Records a new request. Returns its number. */
  opened(): number {
    const id = this.#made++;
    this.#open.add(id);
    return id;
  }

  answered(id: number, isRight: boolean): void {
    if (!this.#settles(id)) return;
    this.#answered += 1;
    if (!isRight) this.#wrong += 1;
  }

  rejected(id: number, error: string, isExcused: boolean): void {
    if (!this.#settles(id)) return;
    this.#errors.set(error, (this.#errors.get(error) ?? 0) + 1);
    if (isExcused) this.#excused += 1;
    else this.#failed += 1;
  }

  /**
   * Compares the ledger with the SDK's own counts, when no request is open. An answer that the SDK counts, but that no
   * caller received or waits for, counts as duplicated. A request that the SDK holds, but that no caller waits for,
   * counts as lost.
   */
  reconcile(own: OwnAccount): void {
    this.#duplicated += Math.max(0, own.completed - this.#answered - this.#open.size);
    this.#lost += Math.max(0, own.queued + own.inFlight - this.#open.size);
  }

  /** Returns the account. Requests that are open now count as lost. */
  account(): Account {
    return {
      n: this.#made,
      answered: this.#answered,
      excused: this.#excused,
      failed: this.#failed,
      lost: this.#lost + this.#open.size,
      wrong: this.#wrong,
      duplicated: this.#duplicated,
      errors: Object.fromEntries(this.#errors),
    };
  }

  #settles(id: number): boolean {
    const isFirst = this.#open.delete(id);
    if (!isFirst) this.#duplicated += 1;
    return isFirst;
  }
}
