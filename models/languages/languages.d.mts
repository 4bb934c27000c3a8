export interface Language {
  /** BCP 47. */
  readonly tag: string;
  /** In English. */
  readonly name: string;
  /** In the language itself. */
  readonly ownName: string;
  /** What the training texts of this language are written in; the model knows no other. */
  readonly script: string;
}

/** The languages that the model knows, in the order of its logits. */
export const languages: readonly Language[];

/** One item for the model: a length of 1 to `maxTextLength`, and 0 for a text without a letter. */
export type EncodedText = {
  readonly ids: Int32Array<ArrayBuffer>;
  /** 1 for each id. A batcher that pads puts 0 behind. */
  readonly mask: Int32Array<ArrayBuffer>;
};

/** The most characters of a text that count: what comes later is left out. */
export const maxTextLength: number;

/**
 * A text as the model reads it: lower case, words one space apart, without digits and punctuation. A text without a letter
 * gives no ids; do not ask the model about it.
 */
export function encodeText(text: string): EncodedText;

export interface LanguageGuess {
  readonly language: Language;
  /** 0 to 1; all together are 1. */
  readonly probability: number;
}

/** All languages, the likeliest first, from one text's logits. */
export function rankLanguages(logits: ArrayLike<unknown>): LanguageGuess[];
