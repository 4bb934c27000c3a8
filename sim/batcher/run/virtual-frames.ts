import type { Cancel, FrameClock, FrameGrid } from "@framebatch/host/clock.js";
import type { EventLoop } from "./event-loop.js";

/** 60 frames per second. */
export const FRAME_MS = 1000 / 60;

const GRID: FrameGrid = { originMs: 0, periodMs: FRAME_MS };

/**
 * Returns the index of the frame that contains an instant. An instant less than a billionth of a frame before a
 * boundary belongs to the frame that starts there.
 */
export function frameIndex(atMs: number): number {
  return Math.floor(atMs / FRAME_MS + 1e-9);
}

/** The page's frames: a 60 Hz grid while the tab is visible, and none while it is hidden. */
export class VirtualFrames implements FrameClock {
  readonly #loop: EventLoop;
  #visible = true;
  #visibleSinceMs = 0;
  #waiting: (() => void)[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  grid(): FrameGrid | null {
    return this.#visible ? GRID : null;
  }

  isHidden(): boolean {
    return !this.#visible;
  }

  onVisibilityChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Returns whether the tab has been visible without a break since `atMs`. */
  wasVisibleSince(atMs: number): boolean {
    return this.#visible && this.#visibleSinceMs <= atMs;
  }

  /**
   * `requestAnimationFrame`: calls back at the next boundary, or, if the tab is hidden, at the first boundary after it
   * is shown.
   */
  requestFrame(callback: () => void): void {
    this.#waiting.push(callback);
    if (this.#waiting.length === 1 && this.#visible) this.#schedule();
  }

  setVisible(visible: boolean): void {
    if (visible === this.#visible) return;
    this.#visible = visible;
    if (visible) this.#shown();
    else this.#loop.hide();
    // As in a browser, one that is added meanwhile is not called.
    const listeners = [...this.#listeners];
    for (const listener of listeners) listener();
  }

  #shown(): void {
    this.#visibleSinceMs = this.#loop.now();
    this.#loop.show();
    if (this.#waiting.length > 0) this.#schedule();
  }

  #schedule(): void {
    this.#loop.at((frameIndex(this.#loop.now()) + 1) * FRAME_MS, () => this.#paint());
  }

  #paint(): void {
    if (!this.#visible) return;
    const callbacks = this.#waiting;
    this.#waiting = [];
    for (const callback of callbacks) callback();
  }
}
