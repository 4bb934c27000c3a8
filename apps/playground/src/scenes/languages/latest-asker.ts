import { encodeText, rankLanguages, type LanguageGuess } from "@framebatch/models/languages";
import { FramebatchError, type PredictOptions } from "framebatch";
import type { Playground } from "../../playground.js";

/**
 * Requests open at most: one that runs, one that waits, and one that is about to overtake it. With batching off nothing
 * waits on the page, so nothing could be overtaken, and without a limit the worker would drown.
 */
const MAX_OPEN = 3;

export interface Question {
  readonly text: string;
  readonly priority: NonNullable<PredictOptions["priority"]>;
  /** All languages, the likeliest first. Not called where a newer question came in time. */
  readonly hear: (guesses: readonly LanguageGuess[]) => void;
}

/**
 * One who asks for one text after the other: a place of the table, whose rows scroll by, or the field that somebody types
 * in. All that it asks has the same `key`, so a new question takes the place of an older one that still waits.
 */
export class LatestAsker {
  readonly #playground: Playground;
  readonly #key: string;
  readonly #stopped = new AbortController();
  /** A question that came while too many were open. */
  #next: Question | null = null;
  #open = 0;

  /** `key` also names the asker in the timeline. */
  constructor(playground: Playground, key: string) {
    this.#playground = playground;
    this.#key = key;
  }

  /** A text needs at least one letter. */
  ask(question: Question): void {
    const mustWait = this.#open >= MAX_OPEN;
    this.#next = mustWait ? question : null;
    if (!mustWait) void this.#send(question);
  }

  /** Takes what still waits out of the queue; nothing is heard any more. */
  stop(): void {
    this.#next = null;
    this.#stopped.abort();
  }

  async #send({ text, priority, hear }: Question): Promise<void> {
    const model = this.#playground.model.peek();
    const { signal } = this.#stopped;
    if (model === null) return;
    this.#open++;
    try {
      const options = { key: this.#key, priority, signal };
      const { logits } = await this.#playground.requests.ask(model, this.#key, encodeText(text), options);
      if (!signal.aborted) hear(rankLanguages(logits?.data ?? []));
    } catch (error) {
      if (!signal.aborted && !isOvertaken(error)) this.#playground.reportFailure(error);
    }
    this.#open--;
    if (this.#next !== null) this.ask(this.#next);
  }
}

/** By a newer question of the same asker, or its model was replaced: ordinary while somebody scrolls or types. */
function isOvertaken(error: unknown): boolean {
  return error instanceof FramebatchError && (error.code === "SUPERSEDED" || error.code === "DISPOSED");
}
