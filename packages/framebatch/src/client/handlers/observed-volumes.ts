/**
 * The volumes of items for handlers: only `preprocess` knows the tensors of an item. Derives the factor from the first
 * batch that has run.
 */
export class ObservedVolumes {
  #factor: number | null;
  readonly #waiting: ((factor: number) => void)[] = [];

  /** @param factor `null` if it is not known yet */
  constructor(factor: number | null) {
    this.#factor = factor;
  }

  /** Volume of an item for each unit of the volume of its tensors; `null` until a batch has run. */
  get factor(): number | null {
    return this.#factor;
  }

  /** Compares the volume of a row as the page expected it with that of its tensors. */
  saw(itemVolume: number, tensorVolume: number): void {
    // Empty rows say nothing about others.
    if (this.#factor !== null || itemVolume === 0 || tensorVolume === 0) return;
    const factor = itemVolume / tensorVolume;
    this.#factor = factor;
    for (const callback of this.#waiting.splice(0)) callback(factor);
  }

  /** Calls back with the factor as soon as it is known. */
  whenKnown(callback: (factor: number) => void): void {
    if (this.#factor === null) this.#waiting.push(callback);
    else callback(this.#factor);
  }
}
