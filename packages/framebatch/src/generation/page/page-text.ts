import type { GeneratedText, TextResult } from "../../client/options/generation.js";
import type { SentText, TextEnd } from "../../transport/generation.js";
import type { ReadGiven } from "./prompt-reader.js";

/** A text on the page: its tokens as they come, and its one outcome. */
export class PageText implements GeneratedText {
  readonly result: Promise<TextResult>;
  readonly tokens: number[] = [];
  #outcome: { readonly end: TextEnd } | { readonly error: unknown } | null = null;
  #resolve: (result: TextResult) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  /** Resume the loops that wait for the next token. */
  readonly #waiting: (() => void)[] = [];
  readonly #onSettled: (() => void)[] = [];

  constructor() {
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The loop over the tokens throws it too. Who uses neither does not want to know.
    this.result.catch(() => undefined);
  }

  get isSettled(): boolean {
    return this.#outcome !== null;
  }

  /** Calls back when the text ends, however it does; at once if it has. */
  whenSettled(callback: () => void): void {
    if (this.isSettled) callback();
    else this.#onSettled.push(callback);
  }

  /** Adds tokens. Does nothing once the text has ended. */
  push(tokens: readonly number[]): void {
    if (this.isSettled || tokens.length === 0) return;
    this.tokens.push(...tokens);
    this.#wake();
  }

  resolve(reason: TextEnd): void {
    if (this.isSettled) return;
    this.#settle({ end: reason });
    this.#resolve({ tokens: [...this.tokens], reason });
  }

  reject(error: unknown): void {
    if (this.isSettled) return;
    this.#settle({ error });
    this.#reject(error);
  }

  [Symbol.asyncIterator](): AsyncIterator<number, undefined> {
    let index = 0;
    return {
      next: async () => {
        for (;;) {
          const token = this.tokens[index];
          if (token !== undefined) {
            index += 1;
            return { done: false, value: token };
          }
          if (this.#outcome !== null) {
            if ("error" in this.#outcome) throw this.#outcome.error;
            return { done: true, value: undefined };
          }
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
      },
      return: async () => {
        this.reject(new DOMException("The loop over the text was left", "AbortError"));
        return { done: true, value: undefined };
      },
    };
  }

  #settle(outcome: { readonly end: TextEnd } | { readonly error: unknown }): void {
    this.#outcome = outcome;
    for (const tell of this.#onSettled.splice(0)) tell();
    this.#wake();
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

/** A text that has not ended, and what its worker needs. */
export interface QueuedText {
  readonly text: PageText;
  /** What does not change. */
  readonly sent: Omit<SentText, "tokens" | "given">;
  /** What it gives in every step; `null` while its encoder has not answered. It waits then. */
  given: ReadGiven | null;
  readonly prompt: readonly number[];
  readonly key: string | undefined;
  /** Index of its priority in `PRIORITIES`. */
  rank: number;
  /** Number of workers that have ended in a run with it, since it last got a token. */
  losses: number;
}
