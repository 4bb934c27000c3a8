import { expect, test } from "vitest";
import { fitText, wrapText } from "../src/evidence/wrap-text.js";

test("lines are as long as fits, and a long word has a line of its own", () => {
  expect(wrapText("to be or not incomprehensible is", 6, (line) => line.length)).toEqual([
    "to be",
    "or not",
    "incomprehensible",
    "is",
  ]);
});

test("a long text is shortened in its middle, until it fits", () => {
  const fit = (text: string, width: number) => fitText(text, width, (line) => line.length);
  expect(fit("tiny.onnx", 9)).toBe("tiny.onnx");
  expect(fit("a-model-of-mine.onnx", 12)).toBe("a-mode….onnx");
  expect(fit("abc", 0)).toBe("a…");
});
