import { nextTask } from "../ort/next-task.js";
import { FairQueue, type QueuedTab } from "./fair-queue.js";

interface Turn {
  /** Number of rows of the run. */
  readonly rows: number;
  /** Never rejects. */
  readonly start: () => Promise<void>;
}

/** Runs the jobs of several tabs, one at a time and in fair order. */
export class Turns<Tab extends QueuedTab> {
  readonly #queue = new FairQueue<Tab, Turn>();
  readonly #onTurn: (tab: Tab, rows: number) => void;
  #isRunning = false;

  /** @param onTurn called before each run */
  constructor(onTurn: (tab: Tab, rows: number) => void) {
    this.#onTurn = onTurn;
  }

  /** Returns whether a run of a tab waits for its turn. */
  isWaiting(tab: Tab): boolean {
    return this.#queue.has(tab);
  }

  /** Runs a task at the next turn of `tab`. Settles as the task does; never, if the tab is removed first. */
  run<T>(tab: Tab, rows: number, task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.add(tab, { rows, start: () => task().then(resolve, reject) });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  /** Drops the runs of a tab that wait. */
  remove(tab: Tab): void {
    this.#queue.remove(tab);
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#queue.next(); next !== null; next = this.#queue.next()) {
      this.#onTurn(next.tab, next.job.rows);
      await next.job.start();
      // ONNX Runtime may have blocked this thread: runs that other tabs have sent meanwhile must join the queue first.
      if (!this.#queue.isEmpty) await nextTask();
    }
    this.#isRunning = false;
  }
}
