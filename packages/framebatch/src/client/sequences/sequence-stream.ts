import type { StreamPort } from "@framebatch/batcher/calls/predict-stream.js";
import { copyOptions } from "@framebatch/batcher/options/copy-options.js";
import { checkStepOptions } from "../options/sequence-options.js";
import type { SequencePredictOptions } from "../options/sequence.js";
import type { ModelSequence } from "./model-sequence.js";
import type { Turn } from "./sequence-turns.js";

/** Number of items that are pulled and not yet yielded: one runs, and the next one waits for its turn. */
const AHEAD = 2;

/** A sequence, as a stream of its steps needs it. */
export type StreamedSequence<Input, Output> = Pick<
  ModelSequence<Input, unknown, Output>,
  "ask" | "onEnd" | "endedWith"
>;

/** The steps of one stream of a sequence. */
export class SequenceStream<Input, Output> implements StreamPort<Input, Output> {
  readonly #sequence: StreamedSequence<Input, Output>;
  readonly #options: SequencePredictOptions;
  readonly #open = new Set<Turn>();
  #onChange: () => void = () => undefined;
  #forget: () => void = () => undefined;

  constructor(sequence: StreamedSequence<Input, Output>, options: SequencePredictOptions) {
    this.#sequence = sequence;
    // Read for each item.
    this.#options = copyOptions(options);
  }

  open(onChange: () => void): void {
    checkStepOptions(this.#options);
    if (this.stopped !== null) throw this.stopped.reason;
    this.#onChange = onChange;
    this.#forget = this.#sequence.onEnd(onChange);
    this.#options.signal?.addEventListener("abort", onChange);
  }

  get stopped(): { readonly reason: unknown } | null {
    const { signal } = this.#options;
    if (signal?.aborted) return { reason: signal.reason };
    const reason = this.#sequence.endedWith;
    return reason === null ? null : { reason };
  }

  wants(pulled: number): boolean {
    return this.stopped === null && pulled < AHEAD;
  }

  predict(item: Input): Promise<Output> {
    let turn: Turn | null = null;
    const result = new Promise<Output>((resolve, reject) => {
      turn = this.#sequence.ask(item, this.#options, { resolve, reject });
      this.#open.add(turn);
    });
    return result.finally(() => turn !== null && this.#open.delete(turn));
  }

  close(): void {
    this.#forget();
    this.#options.signal?.removeEventListener("abort", this.#onChange);
    const reason = new DOMException("the stream was stopped", "AbortError");
    for (const turn of this.#open) turn.reject(reason);
  }
}
