/** Counts main-thread tasks longer than 50 ms. */
export class LongTaskCounter {
  #durationsMs: number[] = [];
  readonly #observer = new PerformanceObserver((list) => this.#add(list.getEntries()));

  /** The duration of the longest one, in ms; 0 if there was none. */
  get longestMs(): number {
    return Math.max(0, ...this.#durationsMs);
  }

  start(): void {
    this.#durationsMs = [];
    this.#observer.observe({ type: "longtask" });
  }

  stop(): number {
    this.#add(this.#observer.takeRecords());
    this.#observer.disconnect();
    return this.#durationsMs.length;
  }

  #add(entries: PerformanceEntryList): void {
    this.#durationsMs.push(...entries.map(({ duration }) => duration));
  }
}
