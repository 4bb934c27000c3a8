import type { AskOptions } from "../lanes/lane.js";

interface WaitingCall {
  readonly turn: number;
  readonly dueMs: number;
}

/**
 * A place of a user interface that shows its latest answer: each call makes older calls obsolete. A call counts as
 * answered when its own answer or a newer one arrives. This makes lanes that drop obsolete calls comparable with lanes
 * that run them.
 */
export class Place {
  /** The options for each call of this place. */
  readonly options: AskOptions;
  readonly #left = new AbortController();
  /** Calls without an answer so far, oldest first. */
  readonly #waiting: WaitingCall[] = [];
  #lastTurn = 0;

  constructor(key: string) {
    this.options = { key, signal: this.#left.signal };
  }

  /** Records a call that was due at `dueMs` and returns its number. */
  ask(dueMs: number): number {
    const turn = ++this.#lastTurn;
    this.#waiting.push({ turn, dueMs });
    return turn;
  }

  /** Records the answer to a call. Returns the due times of that call and of all older open calls, in ms. */
  answer(turn: number): number[] {
    const newer = this.#waiting.findIndex((call) => call.turn > turn);
    return this.#waiting.splice(0, newer < 0 ? this.#waiting.length : newer).map(({ dueMs }) => dueMs);
  }

  /** Returns whether the answer of a call is no longer needed, so that the call may fail. */
  isPointless(turn: number): boolean {
    return turn < this.#lastTurn || this.#left.signal.aborted;
  }

  /** Removes the place from the page. Returns the number of its open calls, which no longer count. */
  leave(): number {
    this.#left.abort();
    return this.#waiting.splice(0).length;
  }
}
