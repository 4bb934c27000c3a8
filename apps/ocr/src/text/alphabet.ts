/** The characters of the recognizer's classes. Class 0 is the blank of CTC. */
export type Alphabet = readonly string[];

/**
 * Reads the dictionary of a PP-OCR recognizer: class 0 is the blank, then one class for each line, and the last one is
 * the space.
 */
export function readAlphabet(dictionary: string): Alphabet {
  return ["", ...dictionary.replace(/\r?\n$/, "").split(/\r?\n/), " "];
}
