import { median } from "../statistics/quantile.js";

declare global {
  interface Window {
    /** Set by the runner: time of all main-thread tasks so far, in milliseconds, from the browser's own accounts. */
    readTaskDurationMs?: () => Promise<number>;
  }
}

const CALIBRATION_READS = 9;

/** Time that the main thread spends in tasks. Without a runner to ask, it is unknown. */
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

  /** The time that `work` takes of the main thread, in milliseconds, the asking itself left out. */
  async during(work: () => Promise<void>): Promise<number> {
    const beforeMs = await this.#read();
    await work();
    return Math.max(0, (await this.#read()) - beforeMs - this.#costOfReadingMs);
  }
}
