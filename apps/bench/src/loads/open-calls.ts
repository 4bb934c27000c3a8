import type { LoadOutcome, LoadRun } from "./load.js";
import type { Place } from "./place.js";

/** A slice ends early when answering the open calls would take longer than this, in ms. */
const LONGEST_RUN_OUT_MS = 1000;

/** Time before which the answer rate is too uncertain for an estimate, in ms. */
const GUESS_MS = 40;

/** Makes calls without waiting for earlier answers. */
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

  /** @param usuallyOpen number of open calls up to which a lane has not fallen behind */
  constructor(run: LoadRun, usuallyOpen: number) {
    this.#run = run;
    this.#usuallyOpen = usuallyOpen;
  }

  /** Makes a call that was due at `dueMs`, for a place of the page if it has one. */
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

  /** Removes a place from the page and withdraws its open calls. */
  leave(place: Place): void {
    this.#withdrawn += place.leave();
  }

  /** Calls `step` at each tick until the slice ends, then waits for the answers. */
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
      // The samples contain the latency of every call, late ones included.
      openAgesMs: [],
      withdrawn: this.#withdrawn,
      // A longer slice would have longer latencies.
      isLowerBound: this.#isOverrun,
    };
  }

  /**
   * Computes the throughput figures. A lane that has fallen behind runs at its maximum rate after the end of the slice,
   * so its late answers count.
   */
  #served(nowMs: number): Pick<LoadOutcome, "answered" | "answeredLate" | "elapsedMs"> {
    const [answered, answeredLate] = [this.#answered, this.#answeredLate];
    if (this.#isOverrun || answered === 0) {
      return { answered: answered + answeredLate, answeredLate: 0, elapsedMs: nowMs - this.startMs };
    }
    return { answered, answeredLate, elapsedMs: this.#lastAnswerMs - this.startMs };
  }

  /** Records an answer. The latency of a late answer counts. Its throughput does not count, if the lane kept up. */
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
