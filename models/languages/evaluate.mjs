/** Measures languages.onnx with onnxruntime-web: node languages/evaluate.mjs [--model FILE]. See README.md. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as ort from "onnxruntime-web/wasm";
import { seededRandom } from "../src/random.mjs";
import { everydaySentences } from "./everyday.mjs";
import { encodeText, languages, rankLanguages } from "./languages.mjs";
import { normalizeText } from "./letters.mjs";
import { heldOutParagraphs } from "./udhr.mjs";

/**
 * @typedef {{ tag: string, text: string }} Question
 * @typedef {Question & { ranking: readonly string[] }} Answer tags, the likeliest first
 */

/** @type {readonly (readonly [number, number])[]} */
const LENGTHS = Array.from({ length: 7 }, (_, index) => [index === 0 ? 1 : 2 ** (index + 1) + 1, 2 ** (index + 2)]);
const TEXTS = 40; // of each language and range of lengths
const LONGEST_WORD = 20;
const BATCH = 64;

const { values: options } = parseArgs({
  options: { model: { type: "string", default: fileURLToPath(new URL("languages.onnx", import.meta.url)) } },
});

ort.env.wasm.numThreads = 1;
const model = readFileSync(options.model);
const session = await ort.InferenceSession.create(model);
console.log(`${model.length} bytes, ${languages.length} languages`);

await reportHeldOut();
await reportEverydaySentences();
await reportBatching();
await reportSpeed();

async function reportHeldOut() {
  const random = seededRandom(5);
  const texts = languages.map(({ tag }) => ({ tag, text: normalizeText(heldOutParagraphs(tag).join(" ")) }));
  /** @type {Answer[][]} one list a range of lengths */
  const answers = [];
  for (const [shortest, longest] of LENGTHS) {
    const repeated = texts.flatMap((whole) => Array.from({ length: TEXTS }, () => whole));
    const cuts = repeated.map(({ tag, text }) => ({ tag, text: cut(text, shortest, longest, random) }));
    answers.push(await answer(cuts));
  }
  reportByLength(answers);
  reportByScript(answers);
  reportConfusions([...answers[3], ...answers[4]]);
}

/**
 * A random part of a text. It starts with a word, where spaces set words apart, and ends anywhere, as while somebody types.
 *
 * @param {string} text @param {number} shortest @param {number} longest in characters @param {() => number} random
 */
function cut(text, shortest, longest, random) {
  const letters = Array.from(text);
  const length = shortest + below(longest - shortest + 1, random);
  const last = letters.length - length;
  const anywhere = below(last + 1, random);
  const word = letters.lastIndexOf(" ", anywhere);
  const start = anywhere - word > LONGEST_WORD ? anywhere : word + 1;
  return letters.slice(start, start + length).join("");
}

/** A whole number from 0 up to, and without, the limit. @param {number} limit @param {() => number} random */
function below(limit, random) {
  return Math.floor(((random() + 1) / 2) * limit);
}

/** @param {readonly Answer[][]} answers */
function reportByLength(answers) {
  console.log("\n| Characters | Right | Among the first three |\n| --- | --- | --- |");
  for (const [index, range] of LENGTHS.entries()) {
    const { first, firstThree } = sharesOf(answers[index]);
    console.log(`| ${range.join(" to ")} | ${percent(first)} | ${percent(firstThree)} |`);
  }
}

/** @param {readonly Answer[][]} answers */
function reportByScript(answers) {
  console.log(`\n| Script | Languages | ${LENGTHS.map((range) => range.join(" to ")).join(" | ")} |`);
  console.log(`| --- | --- |${" --- |".repeat(LENGTHS.length)}`);
  for (const [name, tags] of scriptGroups()) {
    const shares = answers.map((range) => percent(sharesOf(range.filter(({ tag }) => tags.includes(tag))).first));
    console.log(`| ${name} | ${tags.length} | ${shares.join(" | ")} |`);
  }
}

/** The languages' tags by script; those that have a script of their own are one group. */
function scriptGroups() {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const { script, tag } of languages) {
    const isShared = languages.some((other) => other.tag !== tag && other.script === script);
    const name = isShared ? script : "a script of its own";
    groups.set(name, [...(groups.get(name) ?? []), tag]);
  }
  return [...groups].sort(([, left], [, right]) => right.length - left.length);
}

/** @param {readonly Answer[]} answers */
function reportConfusions(answers) {
  /** @type {Map<string, number>} */
  const confusions = new Map();
  for (const { tag, ranking } of answers) {
    const pair = `${tag} as ${ranking[0]}`;
    if (ranking[0] !== tag) confusions.set(pair, (confusions.get(pair) ?? 0) + 1);
  }
  const worst = [...confusions].sort(([, left], [, right]) => right - left).slice(0, 20);
  console.log(`\nmost confused, of ${2 * TEXTS} texts of 17 to 64 characters of each language:`);
  console.log(worst.map(([pair, count]) => `${pair} ${count}`).join(", "));
}

async function reportEverydaySentences() {
  const answers = await answer(everydaySentences);
  const { first, firstThree } = sharesOf(answers);
  console.log(
    `\n${answers.length} everyday sentences: ${percent(first)} right, ${percent(firstThree)} in the first three`,
  );
  for (const { tag, text, ranking } of answers.filter((one) => one.ranking[0] !== one.tag)) {
    console.log(`  ${tag} as ${ranking[0]}, ${ranking[1]}, ${ranking[2]}: ${text}`);
  }
}

/** Lengths are mixed, so all but one of the batch are padded. */
async function reportBatching() {
  const items = everydaySentences.slice(0, BATCH).map(({ text }) => encodeText(text));
  const together = await logitsOf(items);
  const alone = [];
  for (const item of items) alone.push(...(await logitsOf([item])));
  const largest = Math.max(
    ...alone.flatMap((row, index) => row.map((value, at) => Math.abs(value - together[index][at]))),
  );
  console.log(`\nbatch of ${BATCH}, padded, against each alone: logits differ by at most ${largest.toExponential(1)}`);
}

async function reportSpeed() {
  for (const length of [32, 128]) {
    for (const size of [1, 16, 64]) {
      const item = { ids: new Int32Array(length).fill(40), mask: new Int32Array(length).fill(1) };
      const items = Array.from({ length: size }, () => item);
      const times = [];
      for (let run = 0; run < 31; run++) {
        const started = performance.now();
        await logitsOf(items);
        times.push(performance.now() - started);
      }
      const median = times.sort((left, right) => left - right)[15];
      console.log(`batch of ${size}, ${length} characters: median ${median.toFixed(2)} ms on WASM, one thread`);
    }
  }
}

/** @param {readonly Question[]} questions @returns {Promise<Answer[]>} */
async function answer(questions) {
  const answers = [];
  for (let start = 0; start < questions.length; start += BATCH) {
    const batch = questions.slice(start, start + BATCH);
    const rows = await logitsOf(batch.map(({ text }) => encodeText(text)));
    const rankings = rows.map((row) => rankLanguages(row).map(({ language }) => language.tag));
    answers.push(...batch.map((question, index) => ({ ...question, ranking: rankings[index] })));
  }
  return answers;
}

/**
 * One row of logits for each item, from one run, padded on the right.
 *
 * @param {readonly import("./languages.mjs").EncodedText[]} items
 * @returns {Promise<number[][]>}
 */
async function logitsOf(items) {
  const length = Math.max(...items.map(({ ids }) => ids.length));
  /** @param {"ids" | "mask"} name */
  const padded = (name) => {
    const data = new Int32Array(items.length * length);
    for (const [row, item] of items.entries()) data.set(item[name], row * length);
    return new ort.Tensor("int32", data, [items.length, length]);
  };
  const { logits } = await session.run({ ids: padded("ids"), mask: padded("mask") });
  const values = Array.from(logits.data, Number);
  return items.map((_, row) => values.slice(row * languages.length, (row + 1) * languages.length));
}

/** @param {readonly Answer[]} answers */
function sharesOf(answers) {
  /** @param {number} places */
  const share = (places) =>
    answers.filter(({ tag, ranking }) => ranking.slice(0, places).includes(tag)).length / answers.length;
  return { first: share(1), firstThree: share(3) };
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
