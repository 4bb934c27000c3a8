import type { RequestOptions, Ticket } from "@framebatch/batcher/queue/request.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { StageSink } from "../runs/stage.js";
import type { Path } from "../runs/path.js";
import type { LinkedAnswer } from "./links.js";

/** Computes the outputs again, all of which then come to the page. */
export type Again = (sink: StageSink<Outputs>, options: RequestOptions) => Ticket;

/**
 * The outputs of a stage that the next one reads where they are. They belong to the run of their pipeline, which releases them
 * if it ends first.
 */
export class LinkedOutputs implements Ticket {
  readonly tensors: LinkedAnswer["tensors"];
  /** `null` if nothing can be lost. */
  readonly again: Again | null;
  #onRelease: () => void = () => undefined;
  #isReleased = false;

  constructor(tensors: LinkedAnswer["tensors"], again: Again | null) {
    this.tensors = tensors;
    this.again = again;
  }

  /** Sets what is called when they are released. */
  whenReleased(onRelease: () => void): void {
    this.#onRelease = onRelease;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const tensor of Object.values(this.tensors)) if ("release" in tensor) tensor.release();
    this.#onRelease();
  }

  cancel(): void {
    this.release();
  }

  setPriority(): void {}
}

/** The path on which a run takes linked outputs over. */
export const ownedByRun: Path<LinkedOutputs, LinkedOutputs> = (outputs, hold, run, next) => {
  run.add(outputs);
  outputs.whenReleased(() => run.delete(outputs));
  next(outputs, hold);
};
