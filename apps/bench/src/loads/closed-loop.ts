import type { Random } from "../statistics/random.js";
import type { Load, LoadOutcome, LoadRun } from "./load.js";

/**
 * What a caller does after an answer. It calls again when the returned promise resolves, which tells when the call was due
 * on the clock of `performance.now()`; at once if there is none.
 */
export type AfterAnswer = (caller: number, random: Random) => Promise<number> | undefined;

const NOTHING: AfterAnswer = () => undefined;

/**
 * A closed loop of `callers` independent callers. Each sends its next request as soon as its previous one is answered
 * and `afterAnswer` has ended.
 */
export function closedLoop(callers: number, name = `closed-${callers}`, afterAnswer = NOTHING): Load {
  return {
    name,
    callers,
    leastRounds: 3,
    needsCapacity: false,
    drive: (run) => new ClosedLoop(run, callers, afterAnswer).run(),
  };
}

/**
 * Minimum number of rounds of all callers per slice. With fewer, the start and the end of a slice would distort the
 * results.
 */
const MIN_ROUNDS = 8;

class ClosedLoop {
  readonly #run: LoadRun;
  readonly #callers: number;
  readonly #afterAnswer: AfterAnswer;
  readonly #cut: AbortController | undefined;
  readonly #startMs: number;
  #answered = 0;
  #answeredLate = 0;
  #lastAnswerMs: number;
  /** Whether callers have stopped calling. */
  #isEnding = false;
  #endMs: number | undefined;
  readonly #openAgesMs: number[] = [];

  constructor(run: LoadRun, callers: number, afterAnswer: AfterAnswer) {
    this.#run = run;
    this.#callers = callers;
    this.#afterAnswer = afterAnswer;
    this.#cut = run.times.cutShort ? new AbortController() : undefined;
    this.#startMs = performance.now();
    this.#lastAnswerMs = this.#startMs;
  }

  async run(): Promise<LoadOutcome> {
    const timer = setTimeout(() => void this.#end(performance.now()), this.#run.times.longestSliceMs);
    try {
      await Promise.all(Array.from({ length: this.#callers }, (_, caller) => this.#call(caller)));
    } catch (error) {
      this.#isEnding = true;
      this.#endMs ??= performance.now();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    const endMs = this.#end(performance.now());
    return {
      answered: this.#answered,
      answeredLate: this.#answeredLate,
      elapsedMs: (this.#answered === 0 ? endMs : this.#lastAnswerMs) - this.#startMs,
      openAgesMs: this.#openAgesMs,
      withdrawn: this.#cut === undefined ? 0 : this.#openAgesMs.length,
      isLowerBound: this.#answered < 2 * this.#callers,
    };
  }

  /**
   * Reads the clock once per call if nothing is between: the time of an answer is also the time of the next call. A call
   * that a busy page makes late counts from the time at which it was due.
   */
  async #call(caller: number): Promise<void> {
    const { lane, items, random } = this.#run;
    const options = this.#cut && { signal: this.#cut.signal };
    let calledMs = performance.now();
    for (let turn = 0; !this.#isEnding; turn++) {
      try {
        await lane.predict(items[(caller + turn) % items.length] ?? {}, options);
      } catch (error) {
        if (!options?.signal.aborted) throw error;
        this.#openAgesMs.push((this.#endMs ?? calledMs) - calledMs);
        return;
      }
      const nowMs = performance.now();
      if (this.#endMs === undefined) this.#onAnswer(calledMs, nowMs, turn === 0);
      else this.#onLateAnswer(calledMs, this.#endMs);
      const rest = this.#afterAnswer(caller, random);
      calledMs = rest === undefined ? nowMs : await rest.then((dueMs) => Math.min(dueMs, performance.now()));
    }
  }

  #onAnswer(calledMs: number, nowMs: number, first: boolean): void {
    const { samples, times } = this.#run;
    samples.record(calledMs, nowMs, first);
    this.#answered++;
    this.#lastAnswerMs = nowMs;
    const elapsedMs = nowMs - this.#startMs;
    // A lane that never leaves the page's thread keeps the timer of the longest slice from firing.
    const isLong = this.#answered >= MIN_ROUNDS * this.#callers || elapsedMs >= times.longestSliceMs;
    if (elapsedMs >= times.sliceMs && isLong) this.#endAfterTask();
  }

  /**
   * Ends the slice in the next task, so that all answers of a batch are within it: the time until the first of them
   * counts too.
   */
  #endAfterTask(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setTimeout(() => void this.#end(performance.now()));
  }

  #onLateAnswer(calledMs: number, endMs: number): void {
    this.#answeredLate++;
    this.#openAgesMs.push(endMs - calledMs);
  }

  /** Ends the slice now, unless it has ended. Returns when it ended. */
  #end(nowMs: number): number {
    if (this.#endMs !== undefined) return this.#endMs;
    this.#isEnding = true;
    this.#endMs = nowMs;
    this.#run.onEnd();
    this.#cut?.abort();
    return nowMs;
  }
}
