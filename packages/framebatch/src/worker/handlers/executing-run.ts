/**
 * Tells the page which run the worker executes, so that a crash is blamed on the right one. The page assumes the run named
 * last while it is open, or else the oldest; it is told only when that is wrong.
 */
export class ExecutingRun<Run> {
  readonly #tell: (run: Run) => void;
  /** In the order in which they came. */
  readonly #open = new Set<Run>();
  #told: Run | null = null;

  constructor(tell: (run: Run) => void) {
    this.#tell = tell;
  }

  opened(run: Run): void {
    this.#open.add(run);
  }

  closed(run: Run): void {
    this.#open.delete(run);
    if (this.#told === run) this.#told = null;
  }

  /** Notes that the model is about to run for an open run. */
  begins(run: Run): void {
    const [oldest] = this.#open;
    if ((this.#told ?? oldest) === run) return;
    this.#told = run;
    this.#tell(run);
  }
}
