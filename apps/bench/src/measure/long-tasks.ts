/** Counts main-thread tasks longer than 50 ms. */
export class LongTaskCounter {
  #count = 0;
  readonly #observer = new PerformanceObserver((list) => {
    this.#count += list.getEntries().length;
  });

  start(): void {
    this.#count = 0;
    this.#observer.observe({ type: "longtask" });
  }

  stop(): number {
    this.#count += this.#observer.takeRecords().length;
    this.#observer.disconnect();
    return this.#count;
  }
}
