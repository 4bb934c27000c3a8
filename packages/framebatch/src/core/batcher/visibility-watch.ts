import type { Cancel, FrameClock } from "../clock.js";
import { type Guard, nobody } from "../guard.js";

/** Listens for the tab's visibility while it is asked to. What the page throws of it is reported, and stops nothing. */
export class VisibilityWatch {
  readonly #frames: FrameClock;
  readonly #guard: Guard;
  readonly #onChange: () => void;
  #cancel: Cancel | null = null;

  constructor(frames: FrameClock, guard: Guard, onChange: () => void) {
    this.#frames = frames;
    this.#guard = guard;
    this.#onChange = onChange;
  }

  start(): void {
    if (this.#cancel === null) this.#guard.run(this.#listen, nobody);
  }

  stop(): void {
    const cancel = this.#cancel;
    this.#cancel = null;
    if (cancel !== null) this.#guard.run(cancel, nobody);
  }

  readonly #listen = (): void => {
    this.#cancel = this.#frames.onVisibilityChange(this.#onChange);
  };
}
