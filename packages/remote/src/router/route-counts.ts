import type { Origin } from "@framebatch/batcher/queue/request.js";

/** The requests of callers, each counted once, whichever sides it was on. */
export interface RouteFigures {
  readonly offered: number;
  readonly completed: Readonly<Record<Origin, number>>;
  readonly rejected: number;
  readonly open: number;
  readonly movedTo: Readonly<Record<Origin, number>>;
}

/** Counts the requests of a router. */
export class RouteCounts {
  #open = 0;
  #rejected = 0;
  #completed = { device: 0, server: 0 };
  #movedTo = { device: 0, server: 0 };

  offered(): void {
    this.#open += 1;
  }

  moved(to: Origin): void {
    this.#movedTo[to] += 1;
  }

  /** @param origin where the result comes from; `null` if the request was rejected */
  settled(origin: Origin | null): void {
    this.#open -= 1;
    if (origin === null) this.#rejected += 1;
    else this.#completed[origin] += 1;
  }

  /** Starts again from zero. Open requests count in the new figures. */
  reset(): void {
    this.#rejected = 0;
    this.#completed = { device: 0, server: 0 };
    this.#movedTo = { device: 0, server: 0 };
  }

  snapshot(): RouteFigures {
    const { device, server } = this.#completed;
    return {
      offered: device + server + this.#rejected + this.#open,
      completed: { ...this.#completed },
      rejected: this.#rejected,
      open: this.#open,
      movedTo: { ...this.#movedTo },
    };
  }
}
