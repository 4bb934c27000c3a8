/** The token that ends a sentence. */
export const STOP: number;

/** Returns the tokens of a sentence of `makeSentences`, in place of a tokenizer. */
export function promptOf(sentence: string): number[];

/** Returns the word of a token, a full stop for `STOP`. */
export function wordOf(token: number): string;

/**
 * Makes English sentences of 8 to 11 words. The same seed gives the same sentences on every machine.
 *
 * @param seed any integer except 0
 */
export function makeSentences(count: number, seed: number): string[];
