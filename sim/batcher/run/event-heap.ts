/** An event at an instant. `callback` is `null` once the event is cancelled. */
export interface SimEvent {
  readonly atMs: number;
  /** Scheduling order breaks ties, so a run never depends on the heap's layout. */
  readonly order: number;
  callback: (() => void) | null;
  /** True for the page's timers, false for events of the world. */
  readonly isTimer: boolean;
}

function precedes(a: SimEvent, b: SimEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** A binary heap with the earliest event on top. */
export class EventHeap {
  readonly #events: SimEvent[] = [];

  peek(): SimEvent | undefined {
    return this.#events[0];
  }

  push(event: SimEvent): void {
    const events = this.#events;
    let hole = events.length;
    events.push(event);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = events[parent];
      if (above === undefined || !precedes(event, above)) break;
      events[hole] = above;
      hole = parent;
    }
    events[hole] = event;
  }

  pop(): SimEvent | undefined {
    const top = this.#events[0];
    const last = this.#events.pop();
    if (last !== undefined && last !== top) this.#sink(last);
    return top;
  }

  #sink(event: SimEvent): void {
    const events = this.#events;
    let hole = 0;
    for (;;) {
      const left = 2 * hole + 1;
      const a = events[left];
      if (a === undefined) break;
      const b = events[left + 1];
      const isRight = b !== undefined && precedes(b, a);
      const child = isRight ? b : a;
      if (!precedes(child, event)) break;
      events[hole] = child;
      hole = isRight ? left + 1 : left;
    }
    events[hole] = event;
  }
}
