import type { Account } from "../kit/ledger.js";
import { Subject, type SubjectRequest } from "./subject.js";

const TICK_MS = 5;
const END_LIMIT_MS = 10_000;

export interface LifeSigns {
  readonly visibility: string;
  readonly made: number;
  readonly losses: number;
  /** How often the page came back from the back/forward cache, and how often it froze. */
  readonly restored: number;
  readonly frozen: number;
}

/** A model that is asked at a steady pace whatever the page's own timers do, while the page is hidden, frozen and put away. */
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

  /** From now on `p99Ms` tells of the requests to come. */
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

/** The timers of a worker go on at their pace where those of a hidden page do not. */
function startTicker(): Worker {
  const script = new Blob([`setInterval(() => postMessage(0), ${TICK_MS});`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script));
}
