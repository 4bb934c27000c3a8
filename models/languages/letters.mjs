/** Scripts that training saw. The order is the model's. */
export const scripts = [
  "Latin",
  "Cyrillic",
  "Arabic",
  "Hebrew",
  "Devanagari",
  "Han",
  "Ethiopic",
  "Tibetan",
  "Greek",
  "Armenian",
  "Georgian",
  "Hiragana",
  "Katakana",
  "Hangul",
  "Thai",
  "Lao",
  "Khmer",
  "Myanmar",
  "Bengali",
  "Gurmukhi",
  "Gujarati",
  "Tamil",
  "Telugu",
  "Kannada",
  "Malayalam",
  "Sinhala",
  "Thaana",
];

const patterns = scripts.map((script) => new RegExp(`\\p{Script=${script}}`, "u"));

/** The index in `scripts` of the script that a letter belongs to, or -1. @param {string} letter */
export function scriptOf(letter) {
  return patterns.findIndex((pattern) => pattern.test(letter));
}

/**
 * What the model sees of a text: lower case, one space between words, and of the punctuation only the apostrophe, which is
 * part of a word in many languages. Digits and signs say little about a language, and texts that are all of one kind, as
 * the training texts are, would teach wrong things about them.
 *
 * @param {string} text
 */
export function normalizeText(text) {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[‘’ʻʼ`´]/g, "'")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[^\p{L}\p{M}']+/gu, " ")
    .replaceAll(/(?<![\p{L}\p{M}])'+|'+(?![\p{L}\p{M}])/gu, "")
    .trim();
}
