import type { GeneratedText, TextResult } from "../../client/options/generation.js";
import type { SentText, TextEnd } from "../generation-messages.js";
import type { ReadGiven } from "./prompt-reader.js";

/** How many tokens a text may have that no loop has read before it pauses, and how many when it goes on. */
const UNREAD = { most: 32, few: 16 };

/**
 * A text on the page: its tokens as they come, and its one outcome. A text pauses while the fastest of its loops is
 * behind, unless `result` was asked for: a loop may wait for the result, which never comes from a text that waits for
 * the loop.
 */
export class PageText implements GeneratedText {
  readonly tokens: number[] = [];
  readonly #result: Promise<TextResult>;
  /**
   * Number of tokens that the fastest loop has read. `Infinity` while there is none, and once `result` was asked for.
   */
  #read = Infinity;
  #isResultWanted = false;
  #isPaused = false;
  /** Whether a loop over it was left before its end: the others then end without the tokens that they have not read. */
  #isLeft = false;
  #signal: AbortSignal | null = null;
  #onResume: () => void = () => undefined;
  #outcome: { readonly end: TextEnd } | { readonly error: unknown } | null = null;
  #resolve: (result: TextResult) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  /** Resume the loops that wait for the next token. */
  readonly #waiting: (() => void)[] = [];
  readonly #onSettled: (() => void)[] = [];

  constructor() {
    this.#result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The loop over the tokens throws it too. Who uses neither does not want to know.
    this.#result.catch(() => undefined);
  }

  get isSettled(): boolean {
    return this.#outcome !== null;
  }

  get result(): Promise<TextResult> {
    this.#isResultWanted = true;
    this.#reads(Infinity);
    return this.#result;
  }

  /** Whether the text makes no steps, because its loops are behind. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Calls back each time that the text goes on after a pause. */
  whenResumed(callback: () => void): void {
    this.#onResume = callback;
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
    if (this.tokens.length - this.#read >= UNREAD.most) this.#isPaused = true;
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

  /**
   * Has its loops end with a signal, before the tokens that they have not read: also after the end of the text, which a
   * slow loop still reads.
   */
  stopWith(signal: AbortSignal): void {
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): AsyncIterator<number, undefined> {
    let index = 0;
    let hasLeft = false;
    if (!this.#isResultWanted && this.#read === Infinity) this.#read = 0;
    return {
      next: async () => {
        for (;;) {
          if (hasLeft) return { done: true, value: undefined };
          if (this.#isLeft) this.#throwError();
          const token = this.tokens[index];
          if (token !== undefined) {
            this.#signal?.throwIfAborted();
            index += 1;
            if (index > this.#read) this.#reads(index);
            return { done: false, value: token };
          }
          this.#throwError();
          if (this.#outcome !== null) return { done: true, value: undefined };
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
      },
      return: async () => {
        hasLeft = true;
        this.#isLeft ||= !this.isSettled;
        this.reject(new DOMException("The loop over the text was left", "AbortError"));
        return { done: true, value: undefined };
      },
    };
  }

  #throwError(): void {
    if (this.#outcome !== null && "error" in this.#outcome) throw this.#outcome.error;
  }

  #reads(count: number): void {
    this.#read = count;
    if (!this.#isPaused || this.tokens.length - count > UNREAD.few) return;
    this.#isPaused = false;
    this.#onResume();
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

/** How many texts may run at the same time. */
export interface TextLimits {
  readonly maxTexts: number;
  /** Size of the cache of one token, in bytes. */
  readonly bytesPerToken: number;
  /** The same of a position of what an encoder has returned. */
  readonly bytesPerGiven: number;
  readonly maxCacheBytes: number;
}

type Sized = Pick<QueuedText, "rank" | "prompt"> & {
  readonly text: Pick<QueuedText["text"], "isPaused">;
  readonly sent: Pick<QueuedText["sent"], "id" | "maxNewTokens">;
  readonly given: { readonly length: number } | null;
};

/** Returns the greatest length of a text, in tokens. */
export function longestOf({ prompt, sent }: Sized): number {
  return prompt.length + sent.maxNewTokens;
}

/** Returns the size of the caches of some texts, each as long as the longest may become, in bytes. */
export function bytesOf(texts: readonly Sized[], { bytesPerToken, bytesPerGiven }: TextLimits): number {
  const longest = Math.max(0, ...texts.map(longestOf));
  const given = Math.max(0, ...texts.map((text) => text.given?.length ?? 0));
  return texts.length * (longest * bytesPerToken + given * bytesPerGiven);
}

/**
 * Chooses the texts that have a place next: the most urgent ones; of equal ones, those that run, and then the oldest.
 * One that does not fit keeps later ones waiting, so that it comes to its turn. A paused one keeps its place while
 * nobody else wants it.
 * @param texts in the order of their calls
 * @param isRunning whether a text runs: leaving its place costs it its cache
 * @param joinsTogether whether only texts that begin together share steps: others wait then until half of the places
 * are free
 */
export function chooseTexts<Text extends Sized>(
  texts: readonly Text[],
  isRunning: (text: Text) => boolean,
  limits: TextLimits,
  joinsTogether = false,
): readonly Text[] {
  const { maxTexts, maxCacheBytes } = limits;
  const order = firstOf(
    texts,
    maxTexts,
    (one, other) =>
      Number(one.text.isPaused) - Number(other.text.isPaused) ||
      one.rank - other.rank ||
      Number(isRunning(other)) - Number(isRunning(one)) ||
      one.sent.id - other.sent.id,
  );
  const chosen: Text[] = [];
  for (const text of order) {
    if (bytesOf([...chosen, text], limits) > maxCacheBytes) break;
    chosen.push(text);
  }
  const running = texts.filter(isRunning);
  const staying = chosen.filter(isRunning);
  const joining = chosen.length - staying.length;
  const isFew = staying.length > 0 && joining < chosen.length / 2 && chosen.length < texts.length;
  // A text that gives up its place is never kept out.
  return joinsTogether && isFew && staying.length === running.length ? staying : chosen;
}

/** Returns the first texts in an order. Those that come later, of which there may be thousands, are looked at once. */
function firstOf<Text>(
  texts: readonly Text[],
  count: number,
  compare: (one: Text, other: Text) => number,
): readonly Text[] {
  const first: Text[] = [];
  for (const text of texts) {
    const last = first.length < count ? undefined : first.at(-1);
    if (last !== undefined && compare(last, text) <= 0) continue;
    first.splice(first.findLastIndex((other) => compare(other, text) <= 0) + 1, 0, text);
    if (first.length > count) first.pop();
  }
  return first;
}
