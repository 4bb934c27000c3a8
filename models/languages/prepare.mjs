/** Writes alphabet.mjs here, and the ids that train.py reads: node languages/prepare.mjs --out FILE. See README.md. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { languages } from "./labels.mjs";
import { normalizeText, scriptOf, scripts } from "./letters.mjs";
import { trainingParagraphs } from "./udhr.mjs";

const { values: options } = parseArgs({ options: { out: { type: "string" } } });
if (options.out === undefined) throw new Error("expected --out FILE, got none");

const SELDOM = 2; // a letter seen less often gets no id of its own

const corpus = languages.map(({ tag }) => trainingParagraphs(tag).map(normalizeText));
const alphabet = alphabetOf(corpus.map((paragraphs) => paragraphs.join(" ")));
writeFileSync(
  new URL("alphabet.mjs", import.meta.url),
  `/** The letters that have ids of their own, in the order of these ids. Written by prepare.mjs, as the model knows them. */
export const alphabet =
  ${JSON.stringify(alphabet.join(""))};
`,
);

const { idsOf, scriptId, SPACE, vocabularySize } = await import("./tokens.mjs");
const paragraphs = corpus.flatMap((texts, language) => texts.map((text) => ({ language, ids: idsOf(text) })));
const scriptIds = alphabet.map((letter) => [idsOf(letter)[0], scriptId(letter)]);
writeFileSync(options.out, JSON.stringify({ languages, space: SPACE, vocabularySize, scriptIds, paragraphs }));
console.log(`${languages.length} languages, ${vocabularySize} ids, ${paragraphs.length} paragraphs`);

/**
 * The letters of scripts that several languages share. One language alone writes Greek here, or Thai: there, the script
 * says all, and its letters share one id.
 *
 * @param {readonly string[]} texts one a language
 */
function alphabetOf(texts) {
  const shared = sharedScripts(texts);
  const counts = countsOf(texts.join(""));
  counts.delete(" ");
  return [...counts]
    .filter(([letter, count]) => count >= SELDOM && shared.has(scriptOf(letter)))
    .map(([letter]) => letter)
    .sort((left, right) => (left.codePointAt(0) ?? 0) - (right.codePointAt(0) ?? 0));
}

/** @param {readonly string[]} texts */
function sharedScripts(texts) {
  const writers = texts.map((text) => {
    const counts = countsOf(Array.from(text, scriptOf));
    return new Set([...counts].filter(([, count]) => count > text.length / 20).map(([script]) => script));
  });
  const shared = [...scripts.keys()].filter((script) => writers.filter((used) => used.has(script)).length > 1);
  return new Set([-1, ...shared]); // -1: marks and signs that belong to no script alone
}

/** @template T @param {Iterable<T>} values */
function countsOf(values) {
  /** @type {Map<T, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
