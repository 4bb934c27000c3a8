import { FramebatchError, type BatchedModel, type Sequence } from "framebatch";
import type { Frame } from "./sounds.js";
import { MISSED, QUIET, StepLog, VOICE } from "./step-log.js";

/** How far live sound may fall behind, in milliseconds: a caption that comes later is of no use. */
const MAX_WAIT_MS = 250;

/** What a listener tells. */
export interface ListenerEvents {
  readonly heard: (answerMs: number) => void;
  readonly missed: () => void;
  readonly failed: (error: unknown) => void;
}

/** One stream with its state. It knows nothing of the others, whose steps share runs with its own. */
export class Listener {
  readonly steps = new StepLog();
  readonly #on: ListenerEvents;
  #sequence: Sequence | null = null;

  constructor(on: ListenerEvents) {
    this.#on = on;
  }

  /** Begins anew with a model, or stops with `null`. */
  follow(model: BatchedModel | null): void {
    void this.#sequence?.dispose();
    // Live sound must not fall behind: if the model is slower, the oldest steps are left out.
    this.#sequence = model?.sequence({ overflow: "drop-oldest", maxWaitMs: MAX_WAIT_MS }) ?? null;
  }

  async hear({ audio, loudness }: Frame): Promise<void> {
    const sequence = this.#sequence;
    const step = this.steps.begin(loudness);
    if (sequence === null) return;
    const startMs = performance.now();
    try {
      const { voice } = await sequence.predict({ audio });
      this.steps.settle(step, Number(voice?.data[0]) > 0.5 ? VOICE : QUIET);
      this.#on.heard(performance.now() - startMs);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.steps.settle(step, MISSED);
      if (error instanceof FramebatchError && error.code === "OVERLOADED") this.#on.missed();
      else this.#on.failed(error);
    }
  }
}
