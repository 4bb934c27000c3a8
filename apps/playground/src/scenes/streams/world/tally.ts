import type { StreamFigures } from "./protocol.js";

const REPORT_MS = 500;

/** Counts what happens in a world, and reports it about twice a second. */
export class Tally {
  readonly #report: (figures: StreamFigures) => void;
  #startMs = performance.now();
  #answersMs: number[] = [];
  #missed = 0;
  #runs = 0;

  constructor(report: (figures: StreamFigures) => void) {
    this.#report = report;
  }

  /** Begins anew, since the figures of different loads must not mix. */
  restart(): void {
    this.#startMs = performance.now();
    this.#answersMs = [];
    this.#missed = 0;
    this.#runs = 0;
  }

  countHeard(answerMs: number): void {
    this.#answersMs.push(answerMs);
  }

  countMissed(): void {
    this.#missed++;
  }

  countRun(): void {
    this.#runs++;
  }

  /** Call it in each frame. */
  look(streams: number): void {
    const elapsedMs = performance.now() - this.#startMs;
    if (elapsedMs < REPORT_MS) return;
    const sorted = this.#answersMs.toSorted((one, other) => one - other);
    this.#report({
      elapsedMs,
      streams,
      heard: sorted.length,
      missed: this.#missed,
      answerMs: sorted[Math.floor(sorted.length / 2)] ?? null,
      runs: this.#runs,
    });
    this.restart();
  }
}
