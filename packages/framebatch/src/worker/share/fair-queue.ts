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

  add(tab: Tab, job: Job): void {
    const jobs = this.#jobs.get(tab);
    if (jobs === undefined) this.#jobs.set(tab, [job]);
    else jobs.push(job);
  }

  /** Drops the jobs of a tab. */
  remove(tab: Tab): void {
    this.#jobs.delete(tab);
  }

  /** Removes and returns the job with the next turn; `null` if there is none. */
  next(): { readonly tab: Tab; readonly job: Job } | null {
    const tab = this.#nextTab();
    if (tab === null) return null;
    const jobs = this.#jobs.get(tab) ?? [];
    const job = jobs.shift();
    if (jobs.length === 0) this.#jobs.delete(tab);
    this.#lastTurns.set(tab, (this.#turns += 1));
    return job === undefined ? null : { tab, job };
  }

  #nextTab(): Tab | null {
    const visible = this.#first(false);
    const hidden = this.#first(true);
    const isDue = hidden !== null && (visible === null || this.#patience >= HIDDEN_PATIENCE);
    this.#patience = hidden === null || isDue ? 0 : this.#patience + 1;
    return isDue ? hidden : visible;
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
