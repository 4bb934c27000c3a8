/** A running hash of every event: equal traces have equal hashes. FNV-1a over 32-bit words. */
export class Trace {
  #hash = 0x811c9dc5;

  add(word: number): void {
    this.#hash = Math.imul(this.#hash ^ (word | 0), 0x01000193);
  }

  addTime(atMs: number): void {
    this.add(Math.round(atMs * 4096));
  }

  get hash(): number {
    return this.#hash >>> 0;
  }
}
