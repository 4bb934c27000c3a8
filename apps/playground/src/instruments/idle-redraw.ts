/** Minimum time between two redraws, in ms: about 12 per second, which is smooth enough and cheap. */
const INTERVAL_MS = 80;

/** Maximum delay of a redraw on a page that is never idle, in ms. */
const MAX_DELAY_MS = 400;

/** The name of the redraws in the browser's performance panel. */
const MARK = "playground draw";

/** Redraws while the browser is idle, so that the instruments do not cause the dropped frames that they report. */
export class IdleRedraw {
  readonly #draw: () => void;
  #cancel: (() => void) | null = null;
  #lastMs = -Infinity;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Schedules a redraw. Has no effect if one is already scheduled. */
  request(): void {
    if (this.#cancel !== null) return;
    const delayMs = Math.max(0, this.#lastMs + INTERVAL_MS - performance.now());
    const timer = setTimeout(() => this.#waitForIdleness(), delayMs);
    this.#cancel = () => clearTimeout(timer);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #waitForIdleness(): void {
    // Safari has no idle callbacks.
    if (!("requestIdleCallback" in globalThis)) return this.#drawNow();
    const callback = requestIdleCallback(() => this.#drawNow(), { timeout: MAX_DELAY_MS });
    this.#cancel = () => cancelIdleCallback(callback);
  }

  #drawNow(): void {
    this.#cancel = null;
    const start = performance.now();
    this.#draw();
    this.#lastMs = performance.now();
    performance.measure(MARK, { start, end: this.#lastMs });
    performance.clearMeasures(MARK);
  }
}
