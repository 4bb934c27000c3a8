/** The calls of one slice, in preallocated arrays, so that recording a call does not allocate. */
export class SampleBuffer {
  readonly #calledMs: Float64Array;
  readonly #answeredMs: Float64Array;
  /** 1 if the call was its caller's first call of the slice. */
  readonly #first: Uint8Array;
  #count = 0;

  constructor(capacity: number) {
    this.#calledMs = new Float64Array(capacity);
    this.#answeredMs = new Float64Array(capacity);
    this.#first = new Uint8Array(capacity);
  }

  /** Records a call. Calls beyond the capacity are ignored. */
  record(calledMs: number, answeredMs: number, first: boolean): void {
    if (this.#count === this.#calledMs.length) return;
    this.#calledMs[this.#count] = calledMs;
    this.#answeredMs[this.#count] = answeredMs;
    this.#first[this.#count] = first ? 1 : 0;
    this.#count++;
  }

  clear(): void {
    this.#count = 0;
  }

  /**
   * Calls `visit` for each call, in the order of the answers; without each caller's first call if `skipFirst` is true.
   */
  forEach(skipFirst: boolean, visit: (calledMs: number, answeredMs: number) => void): void {
    for (let index = 0; index < this.#count; index++) {
      if (skipFirst && this.#first[index] === 1) continue;
      visit(this.#calledMs[index] ?? 0, this.#answeredMs[index] ?? 0);
    }
  }
}
