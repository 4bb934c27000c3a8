import type { PipelineStream } from "../runs/pipeline-stream.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import type { StageCallOptions } from "./pipeline.js";

/** What a stage with `sequence: true` needs of its model. */
interface SequenceModel<In, Out> {
  predict(item: In, options: StageCallOptions): Promise<Out>;
  sequence(): { predict(item: In, options: StageCallOptions): Promise<Out>; dispose(): Promise<void> };
}

/** A sequence of a model for each stream. */
export class StreamSequences<In, Out> {
  readonly #model: SequenceModel<In, Out>;
  readonly #ofStreams = new WeakMap<PipelineStream, ReturnType<SequenceModel<In, Out>["sequence"]>>();

  /** @throws INVALID_OPTION when the stage is no model with sequences */
  constructor(stage: object) {
    if (!isSequenceModel<In, Out>(stage))
      throw optionError("sequence", "a stage that is a model with sequences", stage, "leave it out");
    this.#model = stage;
  }

  /** Makes the next step of the stream. An item without a stream that keeps its order starts from the initial state. */
  predict(item: In, options: StageCallOptions, stream: PipelineStream | undefined): Promise<Out> {
    if (stream === undefined || !stream.isOrdered) return this.#model.predict(item, options);
    return this.#of(stream).predict(item, options);
  }

  #of(stream: PipelineStream): ReturnType<SequenceModel<In, Out>["sequence"]> {
    const known = this.#ofStreams.get(stream);
    if (known !== undefined) return known;
    const sequence = this.#model.sequence();
    this.#ofStreams.set(stream, sequence);
    stream.whenEnded(() => void sequence.dispose());
    return sequence;
  }
}

function isSequenceModel<In, Out>(stage: object): stage is SequenceModel<In, Out> {
  return isOptionsObject(stage) && typeof stage["predict"] === "function" && typeof stage["sequence"] === "function";
}
