import { OrderedQueue } from "@framebatch/batcher/queue/ordered-queue.js";
import type { Turn } from "./sequence-turns.js";

/**
 * What waits for its turn in a sequence, in the order of the calls. Hours of input may wait, so no operation looks at more
 * than one of them: each takes O(1) amortised time.
 */
export class Line {
  readonly #turns = new OrderedQueue<Turn>(() => false, isWaiting);
  readonly #steps = new OrderedQueue<Turn>(() => false, isWaiting);

  /** Number of steps that wait. */
  get steps(): number {
    return this.#steps.size;
  }

  /** The step that has waited longest. */
  get oldestStep(): Turn | undefined {
    return this.#steps.head();
  }

  push(turn: Turn): void {
    turn.isWaiting = true;
    this.#turns.push(turn);
    if (turn.askedAtMs !== null) this.#steps.push(turn);
  }

  /** Removes what comes next. Returns `null` if nothing waits. */
  take(): Turn | null {
    const next = this.#turns.head();
    if (next !== undefined) this.remove(next);
    return next ?? null;
  }

  /** Does nothing for what does not wait. */
  remove(turn: Turn): void {
    if (!turn.isWaiting) return;
    turn.isWaiting = false;
    this.#turns.removed();
    if (turn.askedAtMs !== null) this.#steps.removed();
  }
}

function isWaiting(turn: Turn): boolean {
  return turn.isWaiting;
}
