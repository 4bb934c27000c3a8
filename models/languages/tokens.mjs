import { alphabet } from "./alphabet.mjs";
import { normalizeText, scriptOf, scripts } from "./letters.mjs";

/** The longest item that the model was trained for, in ids. */
export const MAX_LENGTH = 256;

const UNKNOWN = 1; // 0 is padding
export const SPACE = 2;
const FIRST_SCRIPT = SPACE + 1;
const FIRST_LETTER = FIRST_SCRIPT + scripts.length;

const idsByLetter = new Map(
  Array.from(alphabet, (letter, index) => /** @type {const} */ ([letter, FIRST_LETTER + index])),
);
idsByLetter.set(" ", SPACE);

/** How many ids there are, padding included. */
export const vocabularySize = FIRST_LETTER + Array.from(alphabet).length;

/** @param {string} text normalized */
export function idsOf(text) {
  return Array.from(text, (letter) => idsByLetter.get(letter) ?? scriptId(letter));
}

/** The id of a letter that has none of its own: that of its script. @param {string} letter */
export function scriptId(letter) {
  const script = scriptOf(letter);
  return script === -1 ? UNKNOWN : FIRST_SCRIPT + script;
}

/** Documented in languages.d.mts. @param {string} text */
export function encodeText(text) {
  const ids = Int32Array.from(idsOf(normalizeText(text)).slice(0, MAX_LENGTH));
  return { ids, mask: new Int32Array(ids.length).fill(1) };
}
