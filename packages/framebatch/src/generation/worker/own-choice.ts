import { isPromiseLike } from "@framebatch/batcher/calls/user-call.js";
import { describeValue } from "@framebatch/batcher/errors/description.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { SentText } from "../generation-messages.js";
import { handlerFailed } from "../../handlers/worker/handler-errors.js";
import type { AnyHandlers, ChoiceContext } from "../../handlers/worker/handlers.js";
import { chooseToken, type Scores } from "../choose-token.js";

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
