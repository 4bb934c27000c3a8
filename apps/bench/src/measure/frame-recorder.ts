import { median } from "../statistics/quantile.js";

/** Notes when each frame of the page comes: what is on the page by then, the frame paints. */
export class FrameRecorder {
  #timesMs: number[] = [];
  #request: number | undefined;

  start(): void {
    this.#timesMs = [];
    this.#request = requestAnimationFrame(this.#onFrame);
  }

  /** Waits for one more frame, so that the last answer has one that paints it, and gives the times of all. */
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

/** The usual time between two frames of a page at rest, in milliseconds. */
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
