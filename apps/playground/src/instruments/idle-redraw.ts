/** At most a dozen times a second: enough to follow, and little to pay. */
const INTERVAL_MS = 80;

/** A page that is never idle still sees its instruments move. */
const MAX_DELAY_MS = 400;

/** Where the page's own drawing appears in the browser's performance panel. */
const MARK = "playground draw";

/** Draws when the browser has nothing better to do, so that instruments never drop the frames that they report on. */
export class IdleRedraw {
  readonly #draw: () => void;
  #cancel: (() => void) | null = null;
  #lastMs = -Infinity;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Draws soon; asking again before that changes nothing. */
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
