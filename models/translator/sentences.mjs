import { seededRandom } from "../src/random.mjs";
import { ADJECTIVES, ARTICLES, BEINGS, CONJUNCTIONS, PLACES, PREPOSITIONS, THINGS, VERBS } from "./dictionary.mjs";

/**
 * Makes English sentences of 8 to 15 words. The same seed gives the same sentences on every machine.
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
    const more = this.#happens(0.5)
      ? [this.#oneOf(CONJUNCTIONS), ...this.#clause()]
      : [this.#oneOf(PREPOSITIONS), ...this.#noun(PLACES)];
    const [first = "", ...others] = [...this.#clause(), ...more];
    return `${[first[0]?.toUpperCase() + first.slice(1), ...others].join(" ")}.`;
  }

  #clause() {
    const subject = this.#noun(BEINGS);
    const object = this.#noun({ ...BEINGS, ...THINGS, [subject.at(-1) ?? ""]: undefined });
    return [...subject, this.#oneOf(VERBS), ...object];
  }

  /** Returns a noun with its article, and maybe an adjective. @param {Words} nouns */
  #noun(nouns) {
    const adjective = this.#happens(0.5) ? [this.#oneOf(ADJECTIVES)] : [];
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
