import { encodeError, type ErrorData } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { SentText, TextEnd, TextProgress } from "../generation-messages.js";
import { chooseToken, type Scores } from "../choose-token.js";
import { type CacheRow, release } from "./cache-rows.js";
import type { NextTokens, RanText } from "./decoder-runs.js";
import type { GivenKeys } from "./given.js";
import { isPromiseLike } from "@framebatch/batcher/calls/user-call.js";
import { describeValue } from "@framebatch/batcher/errors/description.js";
import { handlerFailed } from "../../handlers/worker/handler-errors.js";
import type { AnyHandlers, ChoiceContext } from "../../handlers/worker/handlers.js";

/** A text that this worker has. */
export class OpenText {
  readonly given: SentText["given"];
  readonly keys: GivenKeys;
  readonly joinedIn: number;
  readonly #sent: SentText;
  readonly #choose: Choose | null;
  /** The prompt, then what was chosen. */
  readonly #tokens: number[];
  /** The tokens that the page does not have yet. */
  #fresh: number[] = [];
  /** Of the tokens that were taken; `null` before the first run. */
  cache: CacheRow | null = null;
  #end: TextEnd | null = null;
  #error: ErrorData | null = null;

  /**
   * @param choose the user's part in the choice of tokens; `null` if there is none
   * @param joinedIn in which request it has come, of those with which texts join
   */
  constructor(sent: SentText, keys: GivenKeys, choose: Choose | null, joinedIn: number) {
    this.#sent = sent;
    this.keys = keys;
    this.#choose = choose;
    this.#tokens = [...sent.tokens];
    this.given = sent.given;
    this.joinedIn = joinedIn;
  }

  get id(): number {
    return this.#sent.id;
  }

  get hasEnded(): boolean {
    return this.#end !== null || this.#error !== null;
  }

  /** Number of tokens that the cache lacks: 1 once the prompt is taken. */
  get left(): number {
    return this.#tokens.length - this.taken;
  }

  /** Number of tokens in the cache. */
  get taken(): number {
    return this.cache?.length ?? 0;
  }

  /** Whether a step is what comes next. Otherwise, more of the prompt is. */
  get isStepping(): boolean {
    return this.cache !== null && this.left === 1;
  }

  /** Whether a step has given it a token here: its cache has more than it came with. */
  get hasStepped(): boolean {
    return this.taken > this.#sent.tokens.length;
  }

  /** Returns the next tokens. */
  next(count: number): NextTokens {
    const { taken } = this;
    return { tokens: this.#tokens.slice(taken, taken + count), cache: this.cache, given: this.given };
  }

  /** Takes the result of a run of its next tokens, and chooses a token if they were the last ones. */
  took({ cache, scores }: RanText): void {
    this.release();
    this.cache = cache;
    if (this.left > 0) return;
    try {
      this.#add(this.#chosen(scores));
    } catch (thrown) {
      this.fail(encodeError(thrown));
    }
  }

  /** Gives up its cache. */
  release(): void {
    if (this.cache !== null) release(this.cache);
    this.cache = null;
  }

  fail(error: ErrorData): void {
    this.#error = error;
  }

  /** @throws INFERENCE_FAILED when no score is a number; HANDLER_FAILED by the user's function */
  #chosen(scores: Scores): number {
    const [sent, tokens] = [this.#sent, this.#tokens];
    const token =
      this.#choose === null
        ? chooseToken(scores, sent, tokens, tokens.length - sent.promptLength)
        : ownChoice(this.#choose, scores, sent, tokens);
    if (token === null) throw noScores();
    return token;
  }

  #add(token: number): void {
    const { promptLength, maxNewTokens, stop } = this.#sent;
    this.#tokens.push(token);
    this.#fresh.push(token);
    if (stop.includes(token)) this.#end = "stop";
    else if (this.#tokens.length - promptLength >= maxNewTokens) this.#end = "length";
  }

  /** Returns what has been done since the last call; `null` if nothing. */
  progress(): TextProgress | null {
    if (this.#fresh.length === 0 && !this.hasEnded) return null;
    const tokens = this.#fresh;
    this.#fresh = [];
    return { id: this.id, tokens, end: this.#end, error: this.#error };
  }
}

function noScores(): FramebatchError {
  return new FramebatchError(
    "INFERENCE_FAILED",
    "expected scores of tokens that are numbers, got none (NaN); check the tokens of the prompt, or try another provider",
  );
}

/** The user's function that takes part in the choice of each token. */
export type Choose = NonNullable<AnyHandlers["choose"]>;

/**
 * Lets the user's function choose the next token of a text. If it returns none, the rules of the text decide. Returns
 * `null`, without a call, if no score is a number.
 * @param given the scores, in memory that other texts may have part of
 * @param tokens the prompt, then what was chosen
 * @throws HANDLER_FAILED
 */
export function ownChoice(choose: Choose, given: Scores, text: ChosenText, tokens: readonly number[]): number | null {
  // Copies: the function may change, keep or transfer them.
  const scores = new Float32Array(given);
  if (!scores.some((score) => score > -Infinity)) return null;
  const { promptLength } = text;
  const position = tokens.length - promptLength;
  const returned = ask(choose, scores, { tokens: [...tokens], promptLength, position });
  if (returned !== undefined) return checkedToken(returned, given.length);
  const token = chooseToken(scores, text, tokens, position);
  if (token !== null) return token;
  throw wrong("a score above -Infinity to be left", "none", "leave one, or return a token");
}

type ChosenText = Pick<SentText, "promptLength" | "sample" | "repetitionPenalty">;

function ask(choose: Choose, scores: Float32Array, context: ChoiceContext): unknown {
  try {
    return choose(scores, context);
  } catch (thrown) {
    throw handlerFailed("choose", thrown);
  }
}

function checkedToken(returned: unknown, count: number): number {
  if (typeof returned === "number" && Number.isInteger(returned) && returned >= 0 && returned < count) return returned;
  const expected = `a whole number from 0 to ${count - 1}, or nothing`;
  if (!isPromiseLike(returned)) throw wrong(expected, describeValue(returned), "return a token of the model");
  // Its rejection would be one that nobody handles, which ends a worker.
  Promise.resolve(returned).catch(() => undefined);
  throw wrong(expected, "a promise", "load what it needs before serve is called");
}

function wrong(expected: string, got: string, fix: string): FramebatchError {
  return handlerFailed("choose", new TypeError(`expected ${expected}, got ${got}; ${fix}`));
}
