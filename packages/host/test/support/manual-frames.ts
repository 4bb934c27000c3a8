import type { Cancel, FrameClock, FrameGrid } from "../../src/clock.js";

/** The length of a frame in milliseconds. A round number, so that a test can name the tick before a frame. */
export const FRAME_MS = 16;

/** A page that paints every 16 ms from 0 on, until it is hidden. */
export class ManualFrames implements FrameClock {
  readonly #listeners = new Set<() => void>();
  #isHidden = false;

  grid(): FrameGrid | null {
    return this.#isHidden ? null : { originMs: 0, periodMs: FRAME_MS };
  }

  isHidden(): boolean {
    return this.#isHidden;
  }

  onVisibilityChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  /** The number of visibility listeners. */
  get listeners(): number {
    return this.#listeners.size;
  }

  set(isHidden: boolean): void {
    this.#isHidden = isHidden;
    // As in a browser, one that is added meanwhile is not called.
    const listeners = [...this.#listeners];
    for (const listener of listeners) listener();
  }
}
