import type { Clock, FrameClock } from "../../src/core/clock.js";
import type { Random } from "../random.js";
import { ENGINE_ERROR } from "./engine-error.js";

/** What the functions around the batcher throw in a hostile run. */
export const FAULT = new Error("a function that the batcher calls has thrown");
/** What `copyResult` throws: it fails a request that was let in. */
export const COPY_FAULT = new Error("copyResult has thrown");
/** What a sink throws that has been told. */
export const SINK_FAULT = new Error("a sink has thrown");

/** Whether an error was planted, or made by the batcher out of one that was. */
export function isPlanted(error: Error): boolean {
  return [FAULT, COPY_FAULT, SINK_FAULT, ENGINE_ERROR].some((planted) => planted === error || planted === error.cause);
}

/** Throws now and then. */
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
      afterTask: (callback) => (this.maybe(FAULT), clock.afterTask(callback)),
      // Without these the batcher falls back on the host's own microtasks, which virtual time knows nothing of.
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
