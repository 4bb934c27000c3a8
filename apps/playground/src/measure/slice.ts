import type { BatchedModel, Outputs } from "framebatch";
import { openCallers, type Caller } from "./callers.js";
import { FrameRecorder } from "./frame-recorder.js";
import type { Wait } from "./latency-statistics.js";
import type { Load } from "./load.js";
import type { RecordedFrame, Recording } from "./recording.js";

/** Called for every answer immediately. It must be cheap. */
export type OnAnswer = (caller: number, turn: number, outputs: Outputs) => void;

/** The durations of the parts of a slice, in ms. */
export interface SliceTimes {
  /** How long callers send requests. Each sends at least one. */
  readonly askingMs: number;
  /** Maximum time to wait for missing answers afterwards. Later ones are cut off. */
  readonly drainMs: number;
}

/** The results of one model under a load in one slice. */
export interface Slice extends Recording {
  /** From the call to the answer, or to the cut. */
  readonly waits: readonly Wait[];
  /** From the frame before a call to the frame that shows its answer, or to the cut, in frames. */
  readonly framesToPaint: readonly number[];
  readonly batches: { readonly count: number; readonly requests: number };
}

interface Call {
  readonly atMs: number;
  /** Start of the frame before the call. */
  readonly frameStartMs: number;
}

/** Applies a load to a model for one slice. Rejects if a prediction fails, or with the signal's reason if aborted. */
export async function runSlice(
  model: BatchedModel,
  load: Load,
  times: SliceTimes,
  framePeriodMs: number,
  signal: AbortSignal,
  onAnswer: OnAnswer,
): Promise<Slice> {
  signal.throwIfAborted();
  const run = new SliceRun(model, load, framePeriodMs, onAnswer);
  const abort = (): void => run.cutOff();
  signal.addEventListener("abort", abort);
  try {
    await run.finish(times);
    signal.throwIfAborted();
    return run.result();
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

class SliceRun {
  readonly #model: BatchedModel;
  readonly #load: Load;
  readonly #framePeriodMs: number;
  readonly #onAnswer: OnAnswer;
  readonly #cutOff = new AbortController();
  readonly #frames = new FrameRecorder((startMs, previousMs) => this.#countFrame(startMs, previousMs));
  readonly #startMs = performance.now();
  #lastAnswerMs: number | null = null;
  #unpainted: Call[] = [];
  readonly #waits: Wait[] = [];
  readonly #framesToPaint: number[] = [];
  readonly #answersMs: number[] = [];
  readonly #recordedFrames: RecordedFrame[] = [];
  #batches = 0;
  #batchedRequests = 0;

  constructor(model: BatchedModel, load: Load, framePeriodMs: number, onAnswer: OnAnswer) {
    this.#model = model;
    this.#load = load;
    this.#framePeriodMs = framePeriodMs;
    this.#onAnswer = onAnswer;
  }

  cutOff(): void {
    this.#cutOff.abort();
    this.#frames.stop();
  }

  /** Resolves after every caller has finished and the last answer is painted. Rejects with the first failure. */
  async finish({ askingMs, drainMs }: SliceTimes): Promise<void> {
    const listening = new AbortController();
    this.#model.addEventListener("batch", ({ detail }) => this.#countBatch(detail.size), listening);
    const timer = setTimeout(() => this.cutOff(), askingMs + drainMs);
    const untilMs = this.#startMs + askingMs;
    const { callers, close } = openCallers(this.#model, this.#load);
    try {
      await Promise.all(callers.map((caller, index) => this.#goOnAsking(caller, index, untilMs)));
      if (!this.#cutOff.signal.aborted) await this.#frames.nextFrame();
    } finally {
      clearTimeout(timer);
      this.cutOff();
      close();
      listening.abort();
    }
  }

  result(): Slice {
    return {
      durationMs: (this.#lastAnswerMs ?? performance.now()) - this.#startMs,
      answersMs: this.#answersMs,
      waits: this.#waits,
      framesToPaint: this.#framesToPaint,
      frames: this.#recordedFrames,
      batches: { count: this.#batches, requests: this.#batchedRequests },
    };
  }

  async #goOnAsking(caller: Caller, index: number, untilMs: number): Promise<void> {
    let turn = 0;
    do {
      if (this.#load.pace === "frame") await this.#frames.nextFrame();
      await this.#ask(caller, index, turn++);
    } while (performance.now() < untilMs && !this.#cutOff.signal.aborted);
  }

  async #ask(caller: Caller, index: number, turn: number): Promise<void> {
    const item = this.#load.item(index, turn);
    const call = { atMs: performance.now(), frameStartMs: this.#frames.frameStartMs };
    try {
      const outputs = await caller.predict(item, { signal: this.#cutOff.signal });
      this.#countAnswer(call);
      this.#onAnswer(index, turn, outputs);
    } catch (error) {
      if (!this.#cutOff.signal.aborted) throw error;
      this.#countCutOff(call);
    }
  }

  #countAnswer(call: Call): void {
    this.#lastAnswerMs = performance.now();
    this.#answersMs.push(this.#lastAnswerMs - this.#startMs);
    this.#waits.push({ ms: this.#lastAnswerMs - call.atMs, isCutOff: false });
    this.#unpainted.push(call);
  }

  #countCutOff(call: Call): void {
    const nowMs = performance.now();
    this.#waits.push({ ms: nowMs - call.atMs, isCutOff: true });
    this.#framesToPaint.push((nowMs - call.frameStartMs) / this.#framePeriodMs);
  }

  #countFrame(startMs: number, previousMs: number): void {
    for (const { frameStartMs } of this.#unpainted) {
      this.#framesToPaint.push((startMs - frameStartMs) / this.#framePeriodMs);
    }
    this.#unpainted = [];
    const dropped = Math.max(0, Math.round((startMs - previousMs) / this.#framePeriodMs) - 1);
    // The first frame may have begun before the first call.
    this.#recordedFrames.push({ atMs: Math.max(0, startMs - this.#startMs), dropped });
  }

  #countBatch(size: number): void {
    this.#batches++;
    this.#batchedRequests += size;
  }
}
