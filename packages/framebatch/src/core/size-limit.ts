/**
 * The most requests that a batch may hold: as many as its user allows and memory holds, once batches are trusted; until then one,
 * at its own size.
 */
export class SizeLimit {
  #rows: number;
  /** Whether a batch is known to give the answers that its items get alone. */
  isTrusted: boolean;

  constructor(rows: number, isTrusted = true) {
    this.#rows = rows;
    this.isTrusted = isTrusted;
  }

  get rows(): number {
    return this.isTrusted ? this.#rows : 1;
  }

  /** Has no effect where the limit is lower already. */
  lower(rows: number): void {
    this.#rows = Math.max(1, Math.min(this.#rows, rows));
  }
}
