import { seededRandom } from "../src/random.mjs";
import { languages } from "./labels.mjs";
import { heldOutParagraphs } from "./udhr.mjs";

// In characters, about.
const SHORTEST = 10;
const LONGEST = 45;

/** Scripts that say as much in half the characters. */
const DENSE = new Set(["Han", "Han and Kana", "Hangul"]);

export function heldOutPieces() {
  const random = seededRandom(3);
  return languages.map(({ tag, script }) => {
    const scale = DENSE.has(script) ? 0.4 : 1;
    const drawLength = () => scale * (SHORTEST + ((random() + 1) / 2) * (LONGEST - SHORTEST));
    return { tag, texts: heldOutParagraphs(tag).flatMap((paragraph) => piecesOf(paragraph, tag, drawLength)) };
  });
}

/** @param {string} paragraph @param {string} tag @param {() => number} drawLength */
function piecesOf(paragraph, tag, drawLength) {
  const words = new Intl.Segmenter(tag, { granularity: "word" }).segment(paragraph);
  const pieces = [""];
  let length = drawLength();
  for (const { segment, isWordLike } of words) {
    const isFull = (pieces.at(-1) ?? "").length >= length;
    if (isFull && isWordLike) {
      pieces.push("");
      length = drawLength();
    }
    pieces[pieces.length - 1] += segment;
  }
  return pieces.map((piece) => piece.trim());
}
