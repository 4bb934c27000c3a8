/** Measures the times between the frames of the page, in milliseconds. */
export class FrameGaps {
  readonly #gapsMs: number[] = [];
  #lastMs: number | null = null;
  #request: number;

  constructor() {
    this.#request = requestAnimationFrame(this.#onFrame);
  }

  stop(): readonly number[] {
    cancelAnimationFrame(this.#request);
    return this.#gapsMs;
  }

  readonly #onFrame = (nowMs: number): void => {
    if (this.#lastMs !== null) this.#gapsMs.push(nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#request = requestAnimationFrame(this.#onFrame);
  };
}
