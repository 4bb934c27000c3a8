import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { root } from "../workspace.mjs";

const MODELS = path.join(root, "models");
const SIZE = 28;

/**
 * Predicts the item of the applications with ONNX Runtime in Node. Their source draws the same stroke.
 *
 * @returns {Promise<readonly number[]>} the logits
 */
export async function referenceLogits() {
  const ort = createRequire(path.join(MODELS, "package.json"))("onnxruntime-web/wasm");
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(await readFile(path.join(MODELS, "digits/digits.onnx")));
  const pixels = Float32Array.from({ length: SIZE * SIZE }, (_, pixel) => (isInk(pixel) ? 1 : 0));
  const [name = ""] = session.inputNames;
  const { logits } = await session.run({ [name]: new ort.Tensor("float32", pixels, [1, 1, SIZE, SIZE]) });
  await session.release();
  return [...logits.data];
}

/** Whether a pixel belongs to a vertical stroke in the middle: the digit 1. */
function isInk(/** @type {number} */ pixel) {
  return Math.abs((pixel % SIZE) - (SIZE - 1) / 2) < 1 && pixel >= 4 * SIZE && pixel < 24 * SIZE;
}
