import { encodeText, rankLanguages, type LanguageGuess } from "@framebatch/models/languages";
import type { PredictOptions } from "framebatch";
import type { Playground } from "../../playground.js";
import { isSuperseded } from "../../superseded.js";

/**
 * Maximum number of open requests: one running, one queued and one about to supersede the queued one. With batching
 * off, the page does not queue requests, so no request can be superseded. This limit then keeps the worker's queue
 * short.
 */
const MAX_OPEN = 3;

export interface Question {
  readonly text: string;
  readonly priority: NonNullable<PredictOptions["priority"]>;
  /** Receives all languages, the most likely first. Not called if a newer question supersedes this one. */
  readonly hear: (guesses: readonly LanguageGuess[]) => void;
}

/**
 * A caller that classifies one text after the other: a place of the table, whose rows change as the table scrolls, or
 * the text field. All its requests have the same `key`, so a new request supersedes an older one that is still queued.
 */
export class LatestAsker {
  readonly #playground: Playground;
  readonly #key: string;
  readonly #stopped = new AbortController();
  /** The latest question that arrived while `MAX_OPEN` requests were open. */
  #next: Question | null = null;
  #open = 0;

  /** @param key the `key` of all requests; also the name of the caller in the timeline */
  constructor(playground: Playground, key: string) {
    this.#playground = playground;
    this.#key = key;
  }

  /** Classifies a text, which must contain at least one letter. */
  ask(question: Question): void {
    const mustWait = this.#open >= MAX_OPEN;
    this.#next = mustWait ? question : null;
    if (!mustWait) void this.#send(question);
  }

  /** Withdraws queued requests. No further results are reported. */
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
      if (!signal.aborted && !isSuperseded(error)) this.#playground.reportFailure(error);
    }
    this.#open--;
    if (this.#next !== null) this.ask(this.#next);
  }
}
