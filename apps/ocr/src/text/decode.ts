import type { Alphabet } from "./alphabet.js";

/** The text of a line. */
export interface ReadLine {
  readonly text: string;
  /** The mean probability of its characters, from 0 to 1; 0 for an empty text. */
  readonly confidence: number;
}

/**
 * Decodes the recognizer's output by the best path (Graves et al., 2006, section 3.2): the likeliest class of each step,
 * with repetitions joined and blanks removed.
 * @param probabilities steps × classes, row by row; not changed
 * @param alphabet one entry for each class
 */
export function decode(probabilities: ArrayLike<number>, alphabet: Alphabet): ReadLine {
  const classes = alphabet.length;
  let text = "";
  let sum = 0;
  let count = 0;
  let previous = 0;
  for (let start = 0; start < probabilities.length; start += classes) {
    const best = likeliest(probabilities, start, classes);
    if (best !== 0 && best !== previous) {
      text += alphabet[best] ?? "";
      sum += probabilities[start + best] ?? 0;
      count++;
    }
    previous = best;
  }
  return { text, confidence: count === 0 ? 0 : sum / count };
}

function likeliest(values: ArrayLike<number>, start: number, count: number): number {
  let best = 0;
  let highest = -Infinity;
  for (let index = 0; index < count; index++) {
    const value = values[start + index] ?? -Infinity;
    if (value > highest) [best, highest] = [index, value];
  }
  return best;
}
