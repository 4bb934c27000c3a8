import { median } from "./latency-statistics.js";

const CALIBRATION_FRAMES = 24;

/** Watches the page's frames while something is measured. */
export class FrameRecorder {
  /** When the current frame began, in milliseconds. */
  frameStartMs = performance.now();
  readonly #onFrame: (frameStartMs: number, previousMs: number) => void;
  #waiting: (() => void)[] = [];
  #request: number;

  /** `onFrame` hears of each frame as it is about to be painted, and when the one before it began. */
  constructor(onFrame: (frameStartMs: number, previousMs: number) => void = () => {}) {
    this.#onFrame = onFrame;
    this.#request = requestAnimationFrame((startMs) => this.#next(startMs));
  }

  /** Resolves in the next frame, or at once when the recorder stops. */
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

/** The time between two frames of an idle page, in milliseconds: 16.7 on a 60 Hz screen. */
export async function measureFramePeriod(): Promise<number> {
  const periods: number[] = [];
  const recorder = new FrameRecorder((startMs, previousMs) => periods.push(startMs - previousMs));
  for (let frame = 0; frame < CALIBRATION_FRAMES; frame++) await recorder.nextFrame();
  recorder.stop();
  // The first interval began at the recorder's own start, not at a frame.
  return median(periods.slice(1));
}
