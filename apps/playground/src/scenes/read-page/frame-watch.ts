import { signal } from "@preact/signals";

/** How often the figures change, in ms. */
const TELL_MS = 500;

/** How long a figure counts the longest gap, in ms. */
const REMEMBER_MS = 5000;

/** What the page's frames were like. */
export interface FrameFigures {
  readonly perSecond: number;
  /** The longest time between two frames in the last seconds, in ms. */
  readonly longestGapMs: number;
}

/** Calls a function in every frame that the page paints, which it cannot while it is blocked, and counts the frames. */
export class FrameWatch {
  /** `null` before the first half second. */
  readonly figures = signal<FrameFigures | null>(null);
  readonly #onFrame: (nowMs: number) => void;
  #frame: number;
  #lastMs: number | null = null;
  #toldMs: number | null = null;
  #count = 0;
  #gaps: readonly { readonly atMs: number; readonly ms: number }[] = [];

  constructor(onFrame: (nowMs: number) => void) {
    this.#onFrame = onFrame;
    this.#frame = requestAnimationFrame((nowMs) => this.#next(nowMs));
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  #next(nowMs: number): void {
    this.#onFrame(nowMs);
    this.#count++;
    if (this.#lastMs !== null) this.#remember(nowMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#toldMs ??= nowMs;
    if (nowMs - this.#toldMs >= TELL_MS) this.#tell(nowMs, nowMs - this.#toldMs);
    this.#frame = requestAnimationFrame((laterMs) => this.#next(laterMs));
  }

  /** Keeps only gaps that are longer than all later ones. */
  #remember(atMs: number, ms: number): void {
    const kept = this.#gaps.filter((gap) => gap.ms > ms && atMs - gap.atMs < REMEMBER_MS);
    this.#gaps = [...kept, { atMs, ms }];
  }

  #tell(nowMs: number, elapsedMs: number): void {
    this.figures.value = { perSecond: (1000 * this.#count) / elapsedMs, longestGapMs: this.#gaps[0]?.ms ?? 0 };
    [this.#toldMs, this.#count] = [nowMs, 0];
  }
}
