import { firstTokenOf, POISON_TOKENS, TextMemory } from "./decoder.js";
import { chosenToken } from "./chosen-token.js";
import type { ItemSpec, TextSpec } from "../scenario/scenario.js";

/** The version of the decoders. */
const VERSION = 1;

/** Tokens of prompts are below the poisons. */
const PLAIN_TOKENS = 33;

/** What a text is when it has ended. */
export interface WholeText {
  readonly tokens: readonly number[];
  readonly reason: "stop" | "length";
}

/** Returns the prompt of a text: it says whose it is, and its last token may be a poison. */
export function promptOf({ id, poison, text }: ItemSpec): number[] {
  const length = text!.length;
  const tokens = Array.from({ length }, (_, at) => (at === 0 ? firstTokenOf(id) : (id * 7 + at * 11) % PLAIN_TOKENS));
  return poison === undefined ? tokens : [...tokens.slice(0, -1), POISON_TOKENS[poison]];
}

/** Returns what the encoder of a text gets, and returns. The last of several may be a poison, too. */
export function givenNumbers({ id, poison, text }: ItemSpec): number[] {
  const { given: length = 0 } = text!;
  const numbers = Array.from({ length }, (_, at) => (at === 0 ? firstTokenOf(id) : (id * 13 + at * 5) % PLAIN_TOKENS));
  return poison === undefined || length < 2 ? numbers : [...numbers.slice(0, -1), POISON_TOKENS[poison]];
}

/** Returns the text alone, without the product. */
export function textAlone(item: ItemSpec): WholeText {
  const { stop = [], maxNewTokens }: TextSpec = item.text!;
  const memory = new TextMemory(VERSION, givenNumbers(item));
  const all: number[] = [];
  const add = (token: number) => {
    memory.take(token, all.length);
    all.push(token);
  };
  promptOf(item).forEach(add);
  const tokens: number[] = [];
  for (;;) {
    const token = chosenToken(memory.scores, item.text!, all, tokens.length);
    tokens.push(token);
    if (stop.includes(token)) return { tokens, reason: "stop" };
    if (tokens.length >= maxNewTokens) return { tokens, reason: "length" };
    add(token);
  }
}
