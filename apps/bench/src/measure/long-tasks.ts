/** Counts tasks of over 50 ms on the main thread. */
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
