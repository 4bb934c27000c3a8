import { expect, test } from "vitest";
import { explainFile } from "../src/scenes/your-model/explain-file.js";

const CASES: readonly (readonly [content: string | Uint8Array<ArrayBuffer>, says: string])[] = [
  ["", "The file is empty."],
  ["PK\u0003\u0004…", "The file is a ZIP archive or a PyTorch checkpoint. Export the model to ONNX."],
  [" <!doctype html>", "The file is a web page."],
  ["hello", "The file is text."],
  ["version https://git-lfs.github.com/spec/v1\n", "The file is a Git LFS pointer"],
  [Uint8Array.of(8, 7, 18, 7), "The file begins like an ONNX model, so it is probably incomplete or damaged."],
  [Uint8Array.of(200, 7, 18, 7), ""],
];

test.each(CASES)("a file of %j is explained", async (content, says) => {
  const note = await explainFile(new Blob([content]));
  expect(note.slice(0, says.length || undefined)).toBe(says);
});
