import { median } from "./latency-statistics.js";

const CALIBRATION_FRAMES = 24;

/** Records the frames of the page. */
export class FrameRecorder {
  /** Start of the current frame, in ms. */
  frameStartMs = performance.now();
  readonly #onFrame: (frameStartMs: number, previousMs: number) => void;
  #waiting: (() => void)[] = [];
  #request: number;

  /** @param onFrame called before each frame is painted, with its start and the start of the previous frame, in ms */
  constructor(onFrame: (frameStartMs: number, previousMs: number) => void = () => {}) {
    this.#onFrame = onFrame;
    this.#request = requestAnimationFrame((startMs) => this.#next(startMs));
  }

  /** Resolves in the next frame, or immediately when the recorder stops. */
  nextFrame(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    cancelAnimationFrame(this.#request);
    this.#release();
  }

  #next(startMs: number): void {
    const previousMs = this.frameStartMs;
    this.frameStartMs = startMs;
    this.#request = requestAnimationFrame((nextMs) => this.#next(nextMs));
    this.#onFrame(startMs, previousMs);
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Measures the frame period of an idle page, in ms: 16.7 on a 60 Hz screen. */
export async function measureFramePeriod(): Promise<number> {
  const periods: number[] = [];
  const recorder = new FrameRecorder((startMs, previousMs) => periods.push(startMs - previousMs));
  for (let frame = 0; frame < CALIBRATION_FRAMES; frame++) await recorder.nextFrame();
  recorder.stop();
  // The first interval begins at the start of the recorder, not at a frame.
  return median(periods.slice(1));
}
