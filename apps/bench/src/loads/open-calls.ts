import type { LoadOutcome, LoadRun } from "./load.js";
import type { Place } from "./place.js";

/** A slice ends early once what is open would take so long to answer, in milliseconds. */
const LONGEST_RUN_OUT_MS = 1000;

/** Until then, in milliseconds, how fast answers come is anybody's guess. */
const GUESS_MS = 40;

/** Calls that are made whether earlier ones have been answered or not. */
export class OpenCalls {
  readonly #run: LoadRun;
  readonly #usuallyOpen: number;
  readonly #open = new Set<Promise<void>>();
  readonly startMs = performance.now();
  #endMs = Infinity;
  #asked = 0;
  #answered = 0;
  #answeredLate = 0;
  #withdrawn = 0;
  #lastAnswerMs = this.startMs;
  #isOverrun = false;
  #failure: { readonly error: unknown } | null = null;

  /** So many calls may be open without a lane having fallen behind: `usuallyOpen`. */
  constructor(run: LoadRun, usuallyOpen: number) {
    this.#run = run;
    this.#usuallyOpen = usuallyOpen;
  }

  /** Asks for one prediction that was due at `dueMs`, for a place of the page if it has one. */
  ask(dueMs: number, place?: Place): void {
    const { lane, items } = this.#run;
    const turn = place?.ask(dueMs) ?? 0;
    const call = lane.predict(items[this.#asked++ % items.length] ?? {}, place?.options).then(
      () => this.#onAnswer(place?.answer(turn) ?? [dueMs]),
      (error: unknown) => {
        if (place?.isPointless(turn) !== true) this.#failure ??= { error };
      },
    );
    this.#open.add(call);
    void call.then(() => this.#open.delete(call));
  }

  /** Takes a place off the page. */
  leave(place: Place): void {
    this.#withdrawn += place.leave();
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
    this.#isOverrun = elapsedMs > GUESS_MS && this.#open.size > this.#usuallyOpen && runOutMs > LONGEST_RUN_OUT_MS;
    return elapsedMs < this.#run.times.sliceMs && !this.#isOverrun && this.#failure === null;
  }

  async #finish(): Promise<LoadOutcome> {
    this.#endMs = performance.now();
    this.#run.onEnd();
    await Promise.all(this.#open);
    if (this.#failure !== null) throw this.#failure.error;
    return {
      ...this.#served(performance.now()),
      // Every call has its latency in the samples, however late it was answered.
      openAgesMs: [],
      withdrawn: this.#withdrawn,
      // A longer slice would have had longer latencies.
      isLowerBound: this.#isOverrun,
    };
  }

  /** A lane that has fallen behind works on at its best after the end of the slice: its late answers tell how fast that is. */
  #served(nowMs: number): Pick<LoadOutcome, "answered" | "answeredLate" | "elapsedMs"> {
    const [answered, answeredLate] = [this.#answered, this.#answeredLate];
    if (this.#isOverrun || answered === 0) {
      return { answered: answered + answeredLate, answeredLate: 0, elapsedMs: nowMs - this.startMs };
    }
    return { answered, answeredLate, elapsedMs: this.#lastAnswerMs - this.startMs };
  }

  /** A late answer has a latency like any other; only the throughput of the slice leaves it out, where the lane kept up. */
  #onAnswer(duesMs: readonly number[]): void {
    const nowMs = performance.now();
    for (const dueMs of duesMs) this.#run.samples.record(dueMs, nowMs, false);
    if (nowMs > this.#endMs) {
      this.#answeredLate += duesMs.length;
      return;
    }
    this.#answered += duesMs.length;
    this.#lastAnswerMs = nowMs;
  }
}
