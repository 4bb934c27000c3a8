import type { AskOptions } from "../lanes/lane.js";

interface WaitingCall {
  readonly turn: number;
  readonly dueMs: number;
}

/**
 * A place of an interface that shows the newest answer it has: with each call it makes, the older ones are pointless. So that
 * lanes which drop those and lanes which run them all can be compared, each call counts as answered once an answer to it, or to a
 * newer one, has come.
 */
export class Place {
  /** To go with each of its calls. */
  readonly options: AskOptions;
  readonly #left = new AbortController();
  /** Calls that nothing has been shown for, oldest first. */
  readonly #waiting: WaitingCall[] = [];
  #lastTurn = 0;

  constructor(key: string) {
    this.options = { key, signal: this.#left.signal };
  }

  /** Notes a call that was due at `dueMs`, and numbers it. */
  ask(dueMs: number): number {
    const turn = ++this.#lastTurn;
    this.#waiting.push({ turn, dueMs });
    return turn;
  }

  /** What the answer to a call puts on the page: when each call was due that it, or one before it, makes up for. */
  answer(turn: number): number[] {
    const newer = this.#waiting.findIndex((call) => call.turn > turn);
    return this.#waiting.splice(0, newer < 0 ? this.#waiting.length : newer).map(({ dueMs }) => dueMs);
  }

  /** Whether a call may fail without anybody missing its answer. */
  isPointless(turn: number): boolean {
    return turn < this.#lastTurn || this.#left.signal.aborted;
  }

  /** It is off the page, and with it all that waits, so many calls: they count no more. */
  leave(): number {
    this.#left.abort();
    return this.#waiting.splice(0).length;
  }
}
