import { seededRandom } from "../src/random.mjs";
import { ADJECTIVES, ARTICLES, BEINGS, CONJUNCTIONS, PLACES, PREPOSITIONS, THINGS, VERBS } from "./dictionary.mjs";

/**
 * Makes English sentences of 8 to 11 words. The same seed gives the same sentences on every machine.
 *
 * @param {number} count
 * @param {number} seed any integer except 0
 */
export function makeSentences(count, seed) {
  const writer = new Writer(seed);
  return Array.from({ length: count }, () => writer.sentence());
}

class Writer {
  /** @readonly */
  #random;

  /** @param {number} seed */
  constructor(seed) {
    this.#random = seededRandom(seed);
  }

  sentence() {
    const words = this.#happens(0.5)
      ? [...this.#clause(0), this.#oneOf(CONJUNCTIONS), ...this.#clause(0)]
      : [...this.#clause(0.5), this.#oneOf(PREPOSITIONS), ...this.#noun(PLACES, 0.5)];
    const text = words.join(" ");
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }

  /** @param {number} share of the nouns that have an adjective */
  #clause(share) {
    const subject = this.#noun(BEINGS, share);
    const object = this.#noun({ ...BEINGS, ...THINGS, [subject.at(-1) ?? ""]: undefined }, share);
    return [...subject, this.#oneOf(VERBS), ...object];
  }

  /** Returns a noun with its article, and maybe an adjective. @param {Words} nouns @param {number} share */
  #noun(nouns, share) {
    const adjective = this.#happens(share) ? [this.#oneOf(ADJECTIVES)] : [];
    return [this.#oneOf(ARTICLES), ...adjective, this.#oneOf(nouns)];
  }

  /** @param {number} share 0 to 1 */
  #happens(share) {
    return (this.#random() + 1) / 2 < share;
  }

  /** @typedef {Readonly<Record<string, string | undefined>>} Words Dutch by English; a word that must not come has none */

  /** @param {Words} words */
  #oneOf(words) {
    const all = Object.keys(words).filter((word) => words[word] !== undefined);
    return all[Math.floor(((this.#random() + 1) / 2) * all.length)] ?? "";
  }
}
