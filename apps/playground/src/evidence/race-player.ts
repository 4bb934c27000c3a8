import { signal, type Signal } from "@preact/signals";
import { RACE_MS } from "./race.js";

/** The clock of the race. The scene pauses while it runs, so that only recorded frames stutter. */
export class RacePlayer {
  /** Time since the start, in ms, 0 to `RACE_MS`. */
  readonly elapsedMs = signal(0);
  readonly isRunning = signal(false);
  readonly #comparing: Signal<boolean>;
  #frame = 0;

  /** @param comparing true while the race runs */
  constructor(comparing: Signal<boolean>) {
    this.#comparing = comparing;
  }

  /** Starts over if it already runs. Shows only the end if the visitor prefers reduced motion. */
  start(): void {
    cancelAnimationFrame(this.#frame);
    this.#comparing.value = this.isRunning.value = true;
    this.elapsedMs.value = 0;
    const prefersReducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#frame = requestAnimationFrame((nowMs) => (prefersReducedMotion ? this.#end() : this.#show(nowMs, nowMs)));
  }

  stop(): void {
    if (!this.isRunning.peek()) return;
    cancelAnimationFrame(this.#frame);
    this.#comparing.value = this.isRunning.value = false;
  }

  #show(startMs: number, nowMs: number): void {
    const elapsedMs = nowMs - startMs;
    if (elapsedMs >= RACE_MS) return this.#end();
    this.elapsedMs.value = elapsedMs;
    this.#frame = requestAnimationFrame((nextMs) => this.#show(startMs, nextMs));
  }

  #end(): void {
    this.elapsedMs.value = RACE_MS;
    this.stop();
  }
}
