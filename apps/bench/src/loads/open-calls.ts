import type { LoadOutcome, LoadRun } from "./load.js";

/** A slice ends early once what is open would take so long to answer, in milliseconds, and is more than a burst. */
const LONGEST_RUN_OUT_MS = 1000;
const LARGEST_BURST = 512;

/** Calls that are made whether earlier ones have been answered or not. */
export class OpenCalls {
  readonly #run: LoadRun;
  readonly #open = new Set<Promise<void>>();
  readonly startMs = performance.now();
  #endMs = Infinity;
  #asked = 0;
  #answered = 0;
  #answeredLate = 0;
  #lastAnswerMs = this.startMs;
  #isOverrun = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(run: LoadRun) {
    this.#run = run;
  }

  /** Asks for one prediction that was due at `dueMs`. */
  ask(dueMs: number): void {
    const { lane, items } = this.#run;
    const call = lane.predict(items[this.#asked++ % items.length] ?? {}).then(
      () => this.#onAnswer(dueMs),
      (error: unknown) => void (this.#failure ??= { error }),
    );
    this.#open.add(call);
    void call.then(() => this.#open.delete(call));
  }

  /** Lets `step` ask at each tick until the slice is over, and waits for the answers. */
  async until(tick: (callback: () => void) => () => void, step: (nowMs: number) => void): Promise<LoadOutcome> {
    await new Promise<void>((resolve) => {
      const stop = tick(() => {
        const nowMs = performance.now();
        if (this.#goesOn(nowMs)) return step(nowMs);
        stop();
        resolve();
      });
    });
    return this.#finish();
  }

  #goesOn(nowMs: number): boolean {
    const elapsedMs = nowMs - this.startMs;
    const runOutMs = (this.#open.size * elapsedMs) / Math.max(1, this.#answered);
    this.#isOverrun = this.#open.size > LARGEST_BURST && runOutMs > LONGEST_RUN_OUT_MS;
    return elapsedMs < this.#run.times.sliceMs && !this.#isOverrun && this.#failure === null;
  }

  async #finish(): Promise<LoadOutcome> {
    this.#endMs = performance.now();
    this.#run.onEnd();
    await Promise.all(this.#open);
    if (this.#failure !== null) throw this.#failure.error;
    return {
      answered: this.#answered,
      answeredLate: this.#answeredLate,
      elapsedMs: (this.#answered === 0 ? this.#endMs : this.#lastAnswerMs) - this.startMs,
      // Every call has its latency in the samples, however late it was answered.
      openAgesMs: [],
      // A longer slice would have had longer latencies.
      isLowerBound: this.#isOverrun,
    };
  }

  /** A late answer has a latency like any other; only the throughput of the slice leaves it out. */
  #onAnswer(dueMs: number): void {
    const nowMs = performance.now();
    this.#run.samples.record(dueMs, nowMs, false);
    if (nowMs > this.#endMs) {
      this.#answeredLate++;
      return;
    }
    this.#answered++;
    this.#lastAnswerMs = nowMs;
  }
}
