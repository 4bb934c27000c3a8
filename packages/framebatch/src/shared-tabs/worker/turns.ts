import { nextTask } from "../../worker/ort/next-task.js";

/** A run that waits for its turn. */
export interface Job {
  readonly rows: number;
  /** See `RunRequest`. */
  readonly timeoutMs: number;
  /** Jobs with the same kind can run as one. `null` for a job that must run alone. */
  readonly kind: string | null;
}

/** What runs the jobs. */
interface JobRunner<Tab, J extends Job> {
  /** Called before each run. @param tabs the tabs whose jobs it holds @param timeoutMs the sum of their timeouts */
  readonly onTurn: (tabs: ReadonlySet<Tab>, timeoutMs: number) => void;
  /**
   * Returns the maximum number of rows of the next run. Called only if other jobs of its kind wait.
   * @param first the job with the next turn
   * @param queued number of rows of its kind, its own included
   * @param waiting number of all rows that wait
   */
  readonly sizeFor: (first: J, queued: number, waiting: number) => number;
  /** Runs a job alone. Never rejects. */
  readonly runAlone: (job: J) => Promise<void>;
  /**
   * Runs several jobs of one kind as one. Returns whether that has succeeded; otherwise each runs alone. Never rejects.
   */
  readonly runTogether: (jobs: readonly J[]) => Promise<boolean>;
  /** Called with a job that does not run, because its tab has left. */
  readonly drop: (job: J) => void;
}

/** Runs the jobs of several tabs in fair order: one at a time, or the next jobs of several tabs as one run. */
export class Turns<Tab extends QueuedTab, J extends Job> {
  readonly #queue = new FairQueue<Tab, J>();
  readonly #runner: JobRunner<Tab, J>;
  #isRunning = false;
  /** The jobs of the last run, without those of tabs that have left. */
  #last = new Map<Tab, J>();

  constructor(runner: JobRunner<Tab, J>) {
    this.#runner = runner;
  }

  /** Returns whether a job of a tab waits for its turn. */
  isWaiting(tab: Tab): boolean {
    return this.#queue.has(tab);
  }

  add(tab: Tab, job: J): void {
    this.#queue.add(tab, job);
    if (!this.#isRunning) void this.#runAll(tab);
  }

  /** Drops the jobs of a tab that wait. */
  remove(tab: Tab): void {
    for (const job of this.#queue.remove(tab)) this.#runner.drop(job);
    this.#last.delete(tab);
  }

  async #runAll(first: Tab): Promise<void> {
    this.#isRunning = true;
    // Other tabs may have sent jobs in the same moment. A tab that has had the last run to itself does not wait for
    // them.
    if (this.#last.size !== 1 || !this.#last.has(first)) await nextTask();
    while (!this.#queue.isEmpty) {
      this.#last = this.#next();
      await this.#run(this.#last);
      // ONNX Runtime may have blocked this thread: jobs that other tabs have sent meanwhile must join the queue first.
      if (!this.#queue.isEmpty) await nextTask();
    }
    this.#isRunning = false;
  }

  /** Removes and returns the jobs of the next run, one of each tab. */
  #next(): Map<Tab, J> {
    const next = this.#queue.next();
    if (next === null) return new Map();
    const jobs = new Map([[next.tab, next.job]]);
    const { kind } = next.job;
    const rest = this.#queue.jobs();
    const alike = kind === null ? [] : rest.filter((job) => job.kind === kind);
    if (alike.length === 0) return jobs;
    let { rows } = next.job;
    const size = this.#runner.sizeFor(next.job, rows + rowsOf(alike), rows + rowsOf(rest));
    // A hidden tab does not make the run of a visible one longer.
    const fits = (job: J, tab: Tab) =>
      job.kind === kind && rows + job.rows <= size && !jobs.has(tab) && tab.isHidden === next.tab.isHidden;
    for (let more = this.#queue.next(fits); more !== null; more = this.#queue.next(fits)) {
      jobs.set(more.tab, more.job);
      rows += more.job.rows;
    }
    return jobs;
  }

  async #run(jobs: ReadonlyMap<Tab, J>): Promise<void> {
    const begun = [...jobs];
    const all = begun.map(([, job]) => job);
    const timeoutMs = all.reduce((sum, job) => sum + job.timeoutMs, 0);
    this.#runner.onTurn(new Set(jobs.keys()), timeoutMs);
    if (all.length === 1) return this.#runner.runAlone(all[0]!);
    if (await this.#runner.runTogether(all)) return;
    for (const [tab, job] of begun) {
      if (jobs.has(tab)) this.#queue.putBack(tab, { ...job, kind: null });
      else this.#runner.drop(job);
    }
  }
}

function rowsOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * Maximum number of consecutive turns of visible tabs while a job of a hidden tab waits. A hidden tab that nobody looks
 * at gets at least one turn in nine, so that its requests do not time out.
 */
export const HIDDEN_PATIENCE = 8;

/** A tab, as far as the queue needs to know it. */
interface QueuedTab {
  readonly isHidden: boolean;
}

/**
 * The jobs of several tabs. The next turn, one job, has the tab whose last turn is longest ago. A hidden tab has a turn
 * when no visible tab waits, and after `HIDDEN_PATIENCE` turns of visible tabs. The jobs of a tab keep their order.
 */
export class FairQueue<Tab extends QueuedTab, TabJob> {
  /** The jobs of each tab that waits. */
  readonly #jobs = new Map<Tab, TabJob[]>();
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
  jobs(): readonly TabJob[] {
    return [...this.#jobs.values()].flat();
  }

  add(tab: Tab, job: TabJob): void {
    const jobs = this.#jobs.get(tab);
    if (jobs === undefined) this.#jobs.set(tab, [job]);
    else jobs.push(job);
  }

  /** Adds a job before the other jobs of its tab. */
  putBack(tab: Tab, job: TabJob): void {
    this.#jobs.set(tab, [job, ...(this.#jobs.get(tab) ?? [])]);
  }

  /** Removes and returns the jobs of a tab. */
  remove(tab: Tab): readonly TabJob[] {
    const jobs = this.#jobs.get(tab) ?? [];
    this.#jobs.delete(tab);
    return jobs;
  }

  /** Removes and returns the job with the next turn; `null` if there is none, or if it does not fit. */
  next(fits: (job: TabJob, tab: Tab) => boolean = () => true): { readonly tab: Tab; readonly job: TabJob } | null {
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
