import { median } from "../statistics/quantile.js";

declare global {
  interface Window {
    /**
     * Set by the runner: total duration of all main-thread tasks so far, in ms, from the browser's performance metrics.
     */
    readTaskDurationMs?: () => Promise<number>;
  }
}

const CALIBRATION_READS = 9;

/** Measures the time that the main thread spends in tasks. Not available without a runner. */
export class MainThreadMeter {
  readonly #read: () => Promise<number>;
  readonly #costOfReadingMs: number;

  private constructor(read: () => Promise<number>, costOfReadingMs: number) {
    this.#read = read;
    this.#costOfReadingMs = costOfReadingMs;
  }

  static async open(): Promise<MainThreadMeter | null> {
    const read = window.readTaskDurationMs;
    if (read === undefined) return null;
    const costs: number[] = [];
    for (let count = 0; count < CALIBRATION_READS; count++) costs.push(-(await read()) + (await read()));
    return new MainThreadMeter(read, median(costs));
  }

  /** Measures the main-thread time of `work`, in ms, without the cost of the measurement. */
  async during(work: () => Promise<void>): Promise<number> {
    const beforeMs = await this.#read();
    await work();
    return Math.max(0, (await this.#read()) - beforeMs - this.#costOfReadingMs);
  }
}
