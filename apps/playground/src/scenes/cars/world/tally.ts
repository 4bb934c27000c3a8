import type { Traffic } from "@framebatch/models/drivers";
import type { WorldFigures } from "./protocol.js";

const REPORT_MS = 500;

/** Counts what happens in a world, and reports it about twice a second. */
export class Tally {
  readonly #traffic: Traffic;
  readonly #report: (figures: WorldFigures) => void;
  #startMs = 0;
  #frames = 0;
  #answers = 0;
  #busyMs = 0;
  #crashes = 0;

  constructor(traffic: Traffic, report: (figures: WorldFigures) => void) {
    this.#traffic = traffic;
    this.#report = report;
    this.restart();
  }

  /** Begins anew, since the figures of different loads must not mix. */
  restart(): void {
    this.#startMs = performance.now();
    this.#frames = 0;
    this.#answers = 0;
    this.#busyMs = 0;
    this.#crashes = this.#traffic.crashes;
  }

  /** Call it when all cars of a frame have their answers. @param startMs when the frame began */
  countFrame(startMs: number): void {
    const nowMs = performance.now();
    this.#frames++;
    this.#answers += this.#traffic.count;
    this.#busyMs += nowMs - startMs;
    if (nowMs - this.#startMs < REPORT_MS) return;
    this.#report({
      elapsedMs: nowMs - this.#startMs,
      cars: this.#traffic.count,
      frames: this.#frames,
      answers: this.#answers,
      busyMs: this.#busyMs,
      crashes: this.#traffic.crashes - this.#crashes,
    });
    this.restart();
  }
}
