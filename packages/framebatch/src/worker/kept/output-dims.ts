import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";

/** Maximum number of sizes to remember. Live audio has few, documents have many. */
const MAX_LEARNED = 256;

interface HasDims {
  readonly dims: readonly number[];
}

/**
 * Predicts the dims of outputs, for which the memory of the GPU is reserved before a run: from the model, or from an earlier
 * run with items of the same sizes.
 */
export class OutputDims {
  readonly #signature: ModelSignature;
  /** By output and sizes of items; `null` for an output that had other dims than predicted. */
  readonly #learned = new Map<string, readonly number[] | null>();

  constructor(signature: ModelSignature) {
    this.#signature = signature;
  }

  /** Returns the dims of an output; `null` if they are not known. @param feeds everything that has the dims of the feeds */
  predict(output: TensorInfo, rows: number, feeds: Readonly<Record<string, HasDims>>): readonly number[] | null {
    const learned = this.#learned.get(this.#keyOf(output, feeds));
    if (learned === null || output.batchAxis === null || output.isFolded === true) return null;
    const dims = (learned ?? output.dims).with(output.batchAxis, rows);
    return dims.every((size) => size !== null) ? dims : null;
  }

  /** Notes the dims that an output had. */
  saw(output: TensorInfo, dims: readonly number[], feeds: Readonly<Record<string, HasDims>>): void {
    const key = this.#keyOf(output, feeds);
    if (output.dims.includes(null) && !this.#learned.has(key)) this.#learn(key, dims);
  }

  /** Predicts an output no longer for items of these sizes: a run has failed with the prediction, and not without it. */
  giveUp(output: TensorInfo, feeds: Readonly<Record<string, HasDims>>): void {
    this.#learn(this.#keyOf(output, feeds), null);
  }

  #learn(key: string, dims: readonly number[] | null): void {
    if (this.#learned.size >= MAX_LEARNED) this.#learned.clear();
    this.#learned.set(key, dims);
  }

  #keyOf({ name }: TensorInfo, feeds: Readonly<Record<string, HasDims>>): string {
    const sizes = this.#signature.inputs.map((input) =>
      feeds[input.name]?.dims.filter((_, axis) => axis !== input.batchAxis).join("x"),
    );
    return `${sizes.join(",")} ${name}`;
  }
}
