import { expect, test } from "vitest";
import { wrapText } from "../src/evidence/wrap-text.js";

test("lines are as long as fits, and a long word has a line of its own", () => {
  expect(wrapText("to be or not incomprehensible is", 6, (line) => line.length)).toEqual([
    "to be",
    "or not",
    "incomprehensible",
    "is",
  ]);
});
