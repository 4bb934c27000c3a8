/**
 * Maximum number of consecutive turns of visible tabs while a job of a hidden tab waits. A hidden tab that nobody looks
 * at gets at least one turn in nine, so that its requests do not time out.
 */
export const HIDDEN_PATIENCE = 8;

/** A tab, as far as the queue needs to know it. */
export interface QueuedTab {
  readonly isHidden: boolean;
}

/**
 * The jobs of several tabs. The next turn, one job, has the tab whose last turn is longest ago. A hidden tab has a turn
 * when no visible tab waits, and after `HIDDEN_PATIENCE` turns of visible tabs. The jobs of a tab keep their order.
 */
export class FairQueue<Tab extends QueuedTab, Job> {
  /** The jobs of each tab that waits. */
  readonly #jobs = new Map<Tab, Job[]>();
  readonly #lastTurns = new WeakMap<Tab, number>();
  #turns = 0;
  /** Number of consecutive turns of visible tabs while a hidden tab waited. */
  #patience = 0;

  get isEmpty(): boolean {
    return this.#jobs.size === 0;
  }

  /** Returns whether a tab waits. */
  has(tab: Tab): boolean {
    return this.#jobs.has(tab);
  }

  /** Returns all jobs that wait, in no particular order. */
  jobs(): readonly Job[] {
    return [...this.#jobs.values()].flat();
  }

  add(tab: Tab, job: Job): void {
    const jobs = this.#jobs.get(tab);
    if (jobs === undefined) this.#jobs.set(tab, [job]);
    else jobs.push(job);
  }

  /** Adds a job before the other jobs of its tab. */
  putBack(tab: Tab, job: Job): void {
    this.#jobs.set(tab, [job, ...(this.#jobs.get(tab) ?? [])]);
  }

  /** Removes and returns the jobs of a tab. */
  remove(tab: Tab): readonly Job[] {
    const jobs = this.#jobs.get(tab) ?? [];
    this.#jobs.delete(tab);
    return jobs;
  }

  /** Removes and returns the job with the next turn; `null` if there is none, or if it does not fit. */
  next(fits: (job: Job, tab: Tab) => boolean = () => true): { readonly tab: Tab; readonly job: Job } | null {
    const [visible, hidden] = [this.#first(false), this.#first(true)];
    const isDue = hidden !== null && (visible === null || this.#patience >= HIDDEN_PATIENCE);
    const tab = isDue ? hidden : visible;
    const [job, ...later] = (tab !== null && this.#jobs.get(tab)) || [];
    if (tab === null || job === undefined || !fits(job, tab)) return null;
    this.#patience = hidden === null || isDue ? 0 : this.#patience + 1;
    this.#lastTurns.set(tab, (this.#turns += 1));
    if (later.length === 0) this.#jobs.delete(tab);
    else this.#jobs.set(tab, later);
    return { tab, job };
  }

  #first(isHidden: boolean): Tab | null {
    const lastTurn = (tab: Tab) => this.#lastTurns.get(tab) ?? 0;
    let first: Tab | null = null;
    for (const tab of this.#jobs.keys()) {
      if (tab.isHidden === isHidden && (first === null || lastTurn(tab) < lastTurn(first))) first = tab;
    }
    return first;
  }
}
