import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { bytesIn, type KeptTensor } from "./kept-tensor.js";

/** How large the outputs of one row are. */
export class KeptSizes {
  /** By the name of an output: as its dims say, or as it was last. */
  readonly #bytes = new Map<string, number>();

  constructor({ outputs }: Pick<ModelSignature, "outputs">) {
    for (const { name, type, dims, batchAxis } of outputs) {
      const own = dims.filter((_, axis) => axis !== batchAxis);
      if (!own.includes(null)) this.#bytes.set(name, bytesIn({ type, dims: own.map(Number) }));
    }
  }

  /** Returns the size of these outputs together, in bytes. One of free dims that was never seen counts as nothing. */
  of(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.#bytes.get(name) ?? 0), 0);
  }

  saw(name: string, { bytes }: KeptTensor): void {
    this.#bytes.set(name, bytes);
  }
}
