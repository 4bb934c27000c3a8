/** What became of the requests of a run. */
export interface Account {
  /** Requests made. */
  readonly n: number;
  readonly answered: number;
  /** Rejected for a reason of their own: aborted, out of time, poison, refused at the door. */
  readonly excused: number;
  /** Rejected though nothing was wrong with them. */
  readonly failed: number;
  /** Never settled. */
  readonly lost: number;
  /** Answered with anything but the right bits. */
  readonly wrong: number;
  /** Settled more than once. */
  readonly duplicated: number;
  /** How often each error was met. */
  readonly errors: Readonly<Record<string, number>>;
}

/** What the SDK says of the same requests: a part of `stats().requests`. */
export interface OwnAccount {
  readonly accepted: number;
  readonly completed: number;
  readonly queued: number;
  readonly inFlight: number;
}

/** One account of several runs. */
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

/** Keeps account of every request of a run by its number. */
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

  /** Requests that have not settled. */
  get open(): number {
    return this.#open.size;
  }

  get made(): number {
    return this.#made;
  }

  /** A request is made. Returns its number. */
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
   * Compares with what the SDK says, once it is at rest. An answer that it has counted, and that nobody has got or waits for,
   * went to someone twice; a request that it holds and nobody waits for is lost.
   */
  reconcile(own: OwnAccount): void {
    this.#duplicated += Math.max(0, own.completed - this.#answered - this.#open.size);
    this.#lost += Math.max(0, own.queued + own.inFlight - this.#open.size);
  }

  /** What is open now counts as lost. */
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
