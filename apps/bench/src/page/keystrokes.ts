import { nextFrame } from "../measure/frame-recorder.js";

/** How long keystrokes may take to reach the page once nothing else runs on it, in ms. */
const PATIENCE_MS = 10_000;

/** Times each keystroke of the user from its event, whose time the browser takes, to the frame that shows it. */
export class Keystrokes {
  #delaysMs: number[] = [];

  constructor(field: HTMLElement) {
    field.addEventListener("keydown", ({ isTrusted, timeStamp }) => {
      if (isTrusted) requestAnimationFrame(() => this.#delaysMs.push(performance.now() - timeStamp));
    });
  }

  /** Waits for `count` keystrokes in all, returns their delays in ms, and forgets them. @throws if they do not come */
  async take(count: number): Promise<readonly number[]> {
    const startMs = performance.now();
    while (this.#delaysMs.length < count) {
      await nextFrame();
      if (performance.now() - startMs > PATIENCE_MS)
        throw new Error(`Expected ${count} keystrokes, got ${this.#delaysMs.length}.`);
    }
    const delaysMs = this.#delaysMs;
    this.#delaysMs = [];
    return delaysMs;
  }
}
