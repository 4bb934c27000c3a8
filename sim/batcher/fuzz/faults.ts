import type { Clock, FrameClock } from "@framebatch/host/clock.js";
import type { Random } from "../model/random.js";
import { ENGINE_ERROR, POISON_ERROR } from "./engine-error.js";

/** The error of the functions that the batcher calls, in a run with faults. */
export const FAULT = new Error("a function that the batcher calls has thrown");
/** The error of `copyResult`. It fails a request that was already accepted. */
export const COPY_FAULT = new Error("copyResult has thrown");
/** The error of a sink that throws when it is called. */
export const SINK_FAULT = new Error("a sink has thrown");

/** Returns whether the error was planted, or has a planted error as its cause. */
export function isPlanted(error: Error): boolean {
  return [FAULT, COPY_FAULT, SINK_FAULT, ENGINE_ERROR, POISON_ERROR].some(
    (planted) => planted === error || planted === error.cause,
  );
}

/** Throws at random, with a fixed probability. */
export class Faults {
  readonly #random: Random;
  readonly #rate: number;

  constructor(random: Random, rate: number) {
    this.#random = random;
    this.#rate = rate;
  }

  maybe(error: Error): void {
    if (this.#rate > 0 && this.#random() < this.#rate) throw error;
  }

  clock(clock: Clock): Clock {
    return {
      now: () => (this.maybe(FAULT), clock.now()),
      schedule: (atMs, callback) => (this.maybe(FAULT), clock.schedule(atMs, callback)),
      // Without this method the batcher uses the host's own microtasks, which run outside virtual time.
      afterMicrotasks: (callback) => clock.afterMicrotasks(callback),
    };
  }

  frames(frames: FrameClock): FrameClock {
    return {
      grid: () => (this.maybe(FAULT), frames.grid()),
      isHidden: () => (this.maybe(FAULT), frames.isHidden()),
      onVisibilityChange: (callback) => frames.onVisibilityChange(callback),
    };
  }
}
