import type { BatchedModel, CompletedBatch, Item, Outputs, PredictOptions } from "framebatch";
import { FrameRecorder, measureFramePeriod } from "../measure/frame-recorder.js";

/** How far back the log goes: what the timeline shows, and time to look at it. */
const KEPT_MS = 4000;

/** Frames are watched until so long after the last request. */
const QUIET_MS = 500;

/** Until the screen's own is known. */
const USUAL_FRAME_MS = 1000 / 60;

/** One request of the page, from the call to the frame that showed its answer. Times in milliseconds, as `performance.now`. */
export interface LoggedRequest {
  readonly caller: string;
  readonly askedAtMs: number;
  /** When it left the queue, with a batch or without an answer; `null` while it is open. */
  readonly leftAtMs: number | null;
  /** `null` while it is open, and for one that was overtaken or failed. */
  readonly batchId: number | null;
}

export interface LoggedFrame {
  readonly atMs: number;
  /** Frames that were due since the one before and were not painted. */
  readonly dropped: number;
}

/** Sums since the page was opened. */
export interface PaintTotals {
  readonly painted: number;
  readonly dropped: number;
  /** Answers that a frame has shown, and how many frames they took together. */
  readonly shown: number;
  readonly framesToShow: number;
}

type OpenRequest = { -readonly [Key in keyof LoggedRequest]: LoggedRequest[Key] };

/** What the model in use and the page did in the last seconds. While nobody asks, it watches nothing. */
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
  /** When the frames before the answers' calls began, for answers that no frame has shown yet. */
  #unpainted: number[] = [];
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

  /** When something last happened. */
  get lastActiveMs(): number {
    return this.#lastActiveMs;
  }

  /** Begins anew with a model's batches: ids of another model's would mix with them. Returns how to stop. */
  watch(model: BatchedModel): () => void {
    this.#requests = [];
    this.#batches = [];
    this.#frames = [];
    const watching = new AbortController();
    model.addEventListener("batch", ({ detail }) => this.#batches.push(detail), watching);
    return () => watching.abort();
  }

  /** `model.predict` for a caller with a name. Rejects as that does. */
  async ask(model: BatchedModel, caller: string, item: Item, options?: PredictOptions): Promise<Outputs> {
    const frameBeforeMs = this.#recordFrames().frameStartMs;
    const request: OpenRequest = { caller, askedAtMs: performance.now(), leftAtMs: null, batchId: null };
    this.#requests.push(request);
    try {
      const { outputs, batch, timing } = await model.predictDetailed(item, options);
      request.leftAtMs = request.askedAtMs + timing.queueMs;
      request.batchId = batch?.id ?? null;
      this.#unpainted.push(frameBeforeMs);
      return outputs;
    } finally {
      request.leftAtMs ??= performance.now();
      this.#lastActiveMs = performance.now();
    }
  }

  /** Calls back with each frame while there is something to log. Returns how to stop. */
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
    if (startMs - this.#lastActiveMs > QUIET_MS) this.#rest();
  }

  #rest(): void {
    this.#recorder?.stop();
    this.#recorder = null;
  }

  /** All three lists are in the order of time. */
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
