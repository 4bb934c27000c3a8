/**
 * The most requests that a batch may hold. It can be lowered while a batcher runs: batches of a model may prove to be wrong, or
 * too large for the memory there is.
 */
export class SizeLimit {
  #rows: number;

  constructor(rows: number) {
    this.#rows = rows;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Has no effect where the limit is lower already. */
  lower(rows: number): void {
    this.#rows = Math.max(1, Math.min(this.#rows, rows));
  }
}
