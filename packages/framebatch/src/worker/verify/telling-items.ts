import { tellsNothing } from "./check-tolerance.js";
import type { Tensors } from "./check-runs.js";

/**
 * Finds items that differ in outputs by which no check has told items apart, such as the label of a rare class: without
 * them, no check of real items would ever end.
 */
export class TellingItems {
  /** Outputs that have told nothing yet. Empty before a check has been made. */
  readonly #untold: readonly string[];
  /** Those outputs of the first item. */
  #first: Tensors | null = null;

  constructor(untold: readonly string[]) {
    this.#untold = untold;
  }

  /** Returns whether the item of these outputs differs from the first one. Keeps a copy of what it needs. */
  differs(outputs: Tensors): boolean {
    if (this.#untold.length === 0) return false;
    const first = (this.#first ??= this.#copied(outputs));
    return this.#untold.some((name) => !tellsNothing(name, [first, outputs]));
  }

  #copied(outputs: Tensors): Tensors {
    const kept = this.#untold.flatMap((name) => {
      const tensor = outputs[name];
      return tensor === undefined ? [] : [[name, { ...tensor, data: tensor.data.slice() }] as const];
    });
    return Object.fromEntries(kept);
  }
}
