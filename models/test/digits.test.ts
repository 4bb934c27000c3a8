import { readFile } from "node:fs/promises";
import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { drawDigit, drawnDigits } from "@framebatch/models/drawn-digits";
import { float32, largestDifference, tensorOf, valuesOf } from "./run-model.js";

describe("the digit classifier", () => {
  let session: ort.InferenceSession;

  beforeAll(async () => {
    session = await ort.InferenceSession.create(await readFile(new URL("../digits/digits.onnx", import.meta.url)));
  });

  async function logits(images: readonly Float32Array[]): Promise<ort.Tensor> {
    const pixels = images.flatMap((image) => [...image]);
    return tensorOf(await session.run({ image: float32(pixels, [images.length, 1, 28, 28]) }), "logits");
  }

  it("takes images and gives logits, with a dynamic batch", () => {
    expect(session.inputMetadata).toMatchObject([{ name: "image", type: "float32", shape: ["batch", 1, 28, 28] }]);
    expect(session.outputMetadata).toMatchObject([{ name: "logits", type: "float32", shape: ["batch", 10] }]);
  });

  it.each([1.5, 2.5, 3.5])("reads digits drawn with a round pen %s pixels wide", async (penWidth) => {
    for (const { digit, style, strokes } of drawnDigits) {
      const scores = valuesOf(await logits([drawDigit(strokes, { penWidth })]));
      expect(scores.indexOf(Math.max(...scores)), style).toBe(digit);
    }
  });

  it("gives each image of a batch of 32 what it gives that image alone", async () => {
    const images = Array.from({ length: 32 }, (_, index) => {
      const drawn = drawnDigits[index % drawnDigits.length];
      return drawDigit(drawn?.strokes ?? [], { penWidth: 1 + index / 12 });
    });
    const rows = valuesOf(await logits(images));
    for (const [row, image] of images.entries()) {
      const expected = float32(rows.slice(row * 10, row * 10 + 10), [1, 10]);
      expect(largestDifference(await logits([image]), expected)).toBeLessThan(1e-4);
    }
  });
});
