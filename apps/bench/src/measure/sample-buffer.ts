/** The calls of one slice, in arrays made beforehand, so that recording one costs no allocation. */
export class SampleBuffer {
  readonly #calledMs: Float64Array;
  readonly #answeredMs: Float64Array;
  /** 1 where it was its caller's first call of the slice. */
  readonly #first: Uint8Array;
  #count = 0;

  constructor(capacity: number) {
    this.#calledMs = new Float64Array(capacity);
    this.#answeredMs = new Float64Array(capacity);
    this.#first = new Uint8Array(capacity);
  }

  /** Calls beyond the capacity are left out. */
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

  /** Calls `visit` for each call, in the order of the answers; without the callers' first calls if `skipFirst`. */
  forEach(skipFirst: boolean, visit: (calledMs: number, answeredMs: number) => void): void {
    for (let index = 0; index < this.#count; index++) {
      if (skipFirst && this.#first[index] === 1) continue;
      visit(this.#calledMs[index] ?? 0, this.#answeredMs[index] ?? 0);
    }
  }
}
