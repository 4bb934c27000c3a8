import * as ort from "onnxruntime-web/wasm";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { declaredTensors } from "./declared-tensors.js";

ort.env.wasm.numThreads = 1;

const DIST = fileURLToPath(new URL("../../../../../models/dist/", import.meta.url));
/** Models of each tensor type, and of fixed, unnamed and inner batches. */
const MODELS = readdirSync(DIST).filter((file) =>
  /^(affine|identity|fixed|inner|literal|text|cnn).*\.onnx$/.test(file),
);

async function loadedSignature(bytes: Uint8Array) {
  const session = await ort.InferenceSession.create(bytes);
  const signature = resolveSignature(session.inputMetadata, session.outputMetadata);
  await session.release();
  return signature;
}

it("the tensors that a file declares are those that ONNX Runtime reports", async () => {
  expect(MODELS.length).toBeGreaterThan(20);
  for (const file of MODELS) {
    const bytes = new Uint8Array(readFileSync(`${DIST}${file}`));
    const { inputs, outputs } = declaredTensors(bytes);
    expect.soft(resolveSignature(inputs, outputs), file).toEqual(await loadedSignature(bytes));
  }
});
