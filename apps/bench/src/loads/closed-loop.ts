import type { BenchItem } from "../items.js";
import type { CalledLane } from "../lanes/lane.js";
import type { SampleBuffer } from "../measure/sample-buffer.js";
import type { Load, LoadOutcome, SliceTimes } from "./load.js";

/** `callers` independent components, each of which asks again as soon as it has its answer. */
export function closedLoop(callers: number): Load {
  return {
    name: `closed-${callers}`,
    callers,
    drive: (lane, items, times, samples, onEnd) => new ClosedLoop(lane, items, times, samples, onEnd).run(callers),
  };
}

class ClosedLoop {
  readonly #lane: CalledLane;
  readonly #items: readonly BenchItem[];
  readonly #times: SliceTimes;
  readonly #samples: SampleBuffer;
  readonly #onEnd: () => void;
  readonly #cut: AbortController | undefined;
  readonly #startMs: number;
  #answered = 0;
  #answeredLate = 0;
  #lastAnswerMs: number;
  #endMs: number | undefined;
  readonly #openAgesMs: number[] = [];

  constructor(
    lane: CalledLane,
    items: readonly BenchItem[],
    times: SliceTimes,
    samples: SampleBuffer,
    onEnd: () => void,
  ) {
    this.#lane = lane;
    this.#items = items;
    this.#times = times;
    this.#samples = samples;
    this.#onEnd = onEnd;
    this.#cut = times.cutShort ? new AbortController() : undefined;
    this.#startMs = performance.now();
    this.#lastAnswerMs = this.#startMs;
  }

  async run(callers: number): Promise<LoadOutcome> {
    const timer = setTimeout(() => this.#end(performance.now()), this.#times.longestSliceMs);
    try {
      await Promise.all(Array.from({ length: callers }, (_, caller) => this.#call(caller, callers)));
    } finally {
      clearTimeout(timer);
      this.#endMs ??= performance.now();
    }
    return {
      answered: this.#answered,
      answeredLate: this.#answeredLate,
      elapsedMs: (this.#answered === 0 ? this.#endMs : this.#lastAnswerMs) - this.#startMs,
      openAgesMs: this.#openAgesMs,
    };
  }

  /** One clock read a call: the moment of an answer is the moment of the next call. */
  async #call(caller: number, callers: number): Promise<void> {
    const lane = this.#lane;
    const items = this.#items;
    const signal = this.#cut?.signal;
    let calledMs = performance.now();
    for (let turn = 0; this.#endMs === undefined; turn++) {
      try {
        await lane.predict(items[(caller + turn) % items.length] ?? {}, signal);
      } catch (error) {
        if (!signal?.aborted) throw error;
        this.#openAgesMs.push((this.#endMs ?? calledMs) - calledMs);
        return;
      }
      const nowMs = performance.now();
      if (this.#endMs === undefined) this.#onAnswer(calledMs, nowMs, turn === 0, callers);
      else this.#onLateAnswer(calledMs, this.#endMs);
      calledMs = nowMs;
    }
  }

  #onAnswer(calledMs: number, nowMs: number, first: boolean, callers: number): void {
    this.#samples.record(calledMs, nowMs, first);
    this.#answered++;
    this.#lastAnswerMs = nowMs;
    if (nowMs - this.#startMs >= this.#times.sliceMs && this.#answered >= 2 * callers) this.#end(nowMs);
  }

  #onLateAnswer(calledMs: number, endMs: number): void {
    this.#answeredLate++;
    this.#openAgesMs.push(endMs - calledMs);
  }

  #end(nowMs: number): void {
    if (this.#endMs !== undefined) return;
    this.#endMs = nowMs;
    this.#onEnd();
    this.#cut?.abort();
  }
}
