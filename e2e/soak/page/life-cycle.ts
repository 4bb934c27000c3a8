import type { Account } from "../kit/ledger.js";
import { Subject, type SubjectRequest } from "./subject.js";

const TICK_MS = 5;
const END_LIMIT_MS = 10_000;

export interface LifeSigns {
  readonly visibility: string;
  readonly made: number;
  readonly losses: number;
  /** The number of times that the page returned from the back/forward cache, and that it was frozen. */
  readonly restored: number;
  readonly frozen: number;
}

/** Sends requests to a model at a steady rate, independent of the page's timers, while the page is hidden or frozen. */
export class LifeCycle {
  readonly #subject: Subject;
  readonly #ticker = startTicker();
  #restored = 0;
  #frozen = 0;

  private constructor(subject: Subject) {
    this.#subject = subject;
    this.#ticker.onmessage = () => subject.load.burst(1);
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted) this.#restored += 1;
    });
    document.addEventListener("freeze", () => {
      this.#frozen += 1;
    });
  }

  static async begin(request: SubjectRequest): Promise<LifeCycle> {
    return new LifeCycle(await Subject.open(request));
  }

  burst(requests: number): void {
    this.#subject.load.burst(requests);
  }

  /** Resets the statistics, so that `p99Ms` covers only later requests. */
  timeAnew(): void {
    this.#subject.model.resetStats();
  }

  p99Ms(): number {
    return this.#subject.model.stats().totalMs.p99;
  }

  signs(): LifeSigns {
    const { made, losses } = this.#subject.progress();
    return { visibility: document.visibilityState, made, losses, restored: this.#restored, frozen: this.#frozen };
  }

  end(): Promise<Account> {
    this.#ticker.terminate();
    return this.#subject.end(END_LIMIT_MS);
  }
}

/** Starts a timer in a worker, because browsers throttle the timers of a hidden page but not those of its workers. */
function startTicker(): Worker {
  const script = new Blob([`setInterval(() => postMessage(0), ${TICK_MS});`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script));
}
