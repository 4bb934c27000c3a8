import type { Realm } from "../kernel/realm.js";
import type { Sources } from "../sources.js";
import { Page } from "./page.js";
import { WorkerRealm } from "./worker-realm.js";

/** The realms of this process. Those that have ended are used again. */
export class Threads {
  readonly sources: Sources;
  readonly #pages: Page[] = [];
  readonly #workers: WorkerRealm[] = [];

  constructor(sources: Sources) {
    this.sources = sources;
  }

  /** Returns a page that has not begun. */
  page(): Page {
    return reuse(this.#pages, () => new Page(this.sources));
  }

  /** Returns a worker that has not begun. */
  worker(): WorkerRealm {
    return reuse(this.#workers, () => new WorkerRealm(this.sources));
  }

  /** The workers that run, with the page or pages that use them. */
  get runningWorkers(): WorkerRealm[] {
    return this.#workers.filter(({ isEnded }) => !isEnded);
  }

  /** Ends everything. */
  endAll(): void {
    for (const realm of [...this.#pages, ...this.#workers]) realm.end();
  }
}

function reuse<T extends Realm>(realms: T[], make: () => T): T {
  const idle = realms.find(({ isEnded }) => isEnded);
  if (idle !== undefined) return idle;
  const made = make();
  realms.push(made);
  return made;
}
