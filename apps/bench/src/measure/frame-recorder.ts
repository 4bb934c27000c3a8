import { median } from "../statistics/quantile.js";

/** Records the time of each frame. A frame paints the state of the page at that time. */
export class FrameRecorder {
  #timesMs: number[] = [];
  #request: number | undefined;

  start(): void {
    this.#timesMs = [];
    this.#request = requestAnimationFrame(this.#onFrame);
  }

  /** Waits for one more frame, which paints the last answer, and returns the times of all frames, in ms. */
  async stop(): Promise<readonly number[]> {
    await nextFrame();
    if (this.#request !== undefined) cancelAnimationFrame(this.#request);
    return this.#timesMs;
  }

  readonly #onFrame = (): void => {
    this.#timesMs.push(performance.now());
    this.#request = requestAnimationFrame(this.#onFrame);
  };
}

export function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Measures the frame period of an idle page, in ms. */
export async function measureFramePeriod(): Promise<number> {
  const gapsMs: number[] = [];
  let lastMs = await nextFrame();
  for (let frame = 0; frame < 30; frame++) {
    const timeMs = await nextFrame();
    gapsMs.push(timeMs - lastMs);
    lastMs = timeMs;
  }
  return median(gapsMs);
}
