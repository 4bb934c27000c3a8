import type {
  BatchedModel,
  CompletedBatch,
  DetailedResult,
  Item,
  ModelPredictOptions,
  Outputs,
  PredictOptions,
} from "framebatch";
import { FrameRecorder, measureFramePeriod } from "../measure/frame-recorder.js";

/** How long entries are kept, in ms: the window of the timeline, and time to inspect it. */
const KEPT_MS = 4000;

/** How long frames are recorded after the last request, in ms. */
const QUIET_MS = 500;

/** Frame period, in ms, until the real one is measured. */
const USUAL_FRAME_MS = 1000 / 60;

/** One request of the page. All times are in ms, as in `performance.now()`. */
export interface LoggedRequest {
  readonly caller: string;
  readonly askedAtMs: number;
  /** When the request left the queue, with a batch or without an answer; `null` while the request is open. */
  readonly leftAtMs: number | null;
  /** `null` while the request is open, and if it was superseded or failed. */
  readonly batchId: number | null;
}

export interface LoggedFrame {
  readonly atMs: number;
  /** Number of dropped frames between the previous frame and this one. */
  readonly dropped: number;
}

/** Totals since the page was opened. */
export interface PaintTotals {
  readonly painted: number;
  readonly dropped: number;
  /** Number of answers that were painted, and the sum of their frames to paint. */
  readonly shown: number;
  readonly framesToShow: number;
}

type OpenRequest = { -readonly [Key in keyof LoggedRequest]: LoggedRequest[Key] };

/**
 * Records the requests, batches and frames of the last seconds. It does not record frames while there are no requests.
 * While one is open it does, so that its answer counts with the frame that shows it.
 */
export class ActivityLog {
  readonly totals: { -readonly [Key in keyof PaintTotals]: PaintTotals[Key] } = {
    painted: 0,
    dropped: 0,
    shown: 0,
    framesToShow: 0,
  };
  #requests: OpenRequest[] = [];
  #batches: CompletedBatch[] = [];
  #frames: LoggedFrame[] = [];
  /** For each answer not painted yet: the start of the frame before its request. */
  #unpainted: number[] = [];
  #open = 0;
  #recorder: FrameRecorder | null = null;
  #framePeriodMs = USUAL_FRAME_MS;
  #lastActiveMs = 0;
  readonly #listeners = new Set<() => void>();

  constructor() {
    void measureFramePeriod().then((periodMs) => (this.#framePeriodMs = periodMs));
  }

  get requests(): readonly LoggedRequest[] {
    return this.#requests;
  }

  get batches(): readonly CompletedBatch[] {
    return this.#batches;
  }

  get frames(): readonly LoggedFrame[] {
    return this.#frames;
  }

  /** The time of the last request or answer. */
  get lastActiveMs(): number {
    return this.#lastActiveMs;
  }

  /**
   * Clears the log and records the batches of a model, since batch ids of two models must not mix. Returns a function
   * that stops the recording.
   */
  watch(model: BatchedModel): () => void {
    this.#requests = [];
    this.#batches = [];
    this.#frames = [];
    const watching = new AbortController();
    model.addEventListener("batch", ({ detail }) => this.#batches.push(detail), watching);
    return () => watching.abort();
  }

  /** Calls `model.predict` for a named caller. Rejects with the same errors. */
  async ask(model: BatchedModel, caller: string, item: Item, options?: PredictOptions): Promise<Outputs> {
    return (await this.askDetailed(model, caller, item, options)).outputs;
  }

  /** Calls `model.predictDetailed` for a named caller. Rejects with the same errors. */
  async askDetailed(
    model: Pick<BatchedModel, "predictDetailed">,
    caller: string,
    item: Item,
    options?: ModelPredictOptions,
  ): Promise<DetailedResult> {
    const frameBeforeMs = this.#recordFrames().frameStartMs;
    const request: OpenRequest = { caller, askedAtMs: performance.now(), leftAtMs: null, batchId: null };
    this.#requests.push(request);
    this.#open++;
    try {
      const result = await model.predictDetailed(item, options);
      const { batch, timing } = result;
      request.leftAtMs = request.askedAtMs + timing.queueMs;
      request.batchId = batch?.id ?? null;
      this.#unpainted.push(frameBeforeMs);
      return result;
    } finally {
      this.#open--;
      request.leftAtMs ??= performance.now();
      this.#lastActiveMs = performance.now();
    }
  }

  /** Calls `listener` at each frame while requests are active. Returns a function that removes the listener. */
  onActivity(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #recordFrames(): FrameRecorder {
    this.#lastActiveMs = performance.now();
    this.#recorder ??= new FrameRecorder((startMs, previousMs) => this.#countFrame(startMs, previousMs));
    return this.#recorder;
  }

  #countFrame(startMs: number, previousMs: number): void {
    const dropped = Math.max(0, Math.round((startMs - previousMs) / this.#framePeriodMs) - 1);
    this.#frames.push({ atMs: startMs, dropped });
    this.totals.painted++;
    this.totals.dropped += dropped;
    for (const frameBeforeMs of this.#unpainted) {
      this.totals.framesToShow += (startMs - frameBeforeMs) / this.#framePeriodMs;
    }
    this.totals.shown += this.#unpainted.length;
    this.#unpainted = [];
    this.#forget(startMs - KEPT_MS);
    for (const listener of this.#listeners) listener();
    if (this.#open === 0 && startMs - this.#lastActiveMs > QUIET_MS) this.#rest();
  }

  #rest(): void {
    this.#recorder?.stop();
    this.#recorder = null;
  }

  /** All three lists are sorted by time. */
  #forget(beforeMs: number): void {
    dropWhile(this.#requests, ({ askedAtMs }) => askedAtMs < beforeMs);
    dropWhile(this.#batches, ({ completedAtMs }) => completedAtMs < beforeMs);
    dropWhile(this.#frames, ({ atMs }) => atMs < beforeMs);
  }
}

function dropWhile<Entry>(entries: Entry[], isOld: (entry: Entry) => boolean): void {
  const kept = entries.findIndex((entry) => !isOld(entry));
  entries.splice(0, kept === -1 ? entries.length : kept);
}
