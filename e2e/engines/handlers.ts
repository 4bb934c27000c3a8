import { createBatchedModel, FramebatchError } from "framebatch";
import { answersByGrey, imageOf } from "../fixtures/grey-images.js";
import type { PixelItem, PixelResult } from "../fixtures/pixel-item.js";
import { expectEqual, expectTrue, NotHere, type Promises } from "./promise.js";

const MODEL = "/models/mlp-tiny.onnx";
const COUNT = 30;
const TOLERANCE = 1e-4;

/** A worker with handlers, in every engine. */
export const handlers: Promises = {
  "an image goes through handlers, and one that fails fails alone": async () => {
    if (!("OffscreenCanvas" in globalThis)) throw new NotHere("this browser has no OffscreenCanvas");
    const expected = await answersByGrey(MODEL);
    const model = await open();
    const images = await Promise.all(Array.from({ length: COUNT }, (_, grey) => imageOf(8 * grey)));
    const ends = await Promise.allSettled(
      images.map((image, id) => model.predict(itemOf(id, image), { transfer: id % 2 === 0 })),
    );
    for (const [id, end] of ends.entries()) {
      if (end.status === "fulfilled") expectRight(end.value, id, expected[8 * id]!);
      else expectEqual([id, codeOf(end.reason)], [FAULTY, "HANDLER_FAILED"], "the item that fails");
    }
    expectEqual(ends.filter(({ status }) => status === "fulfilled").length, COUNT - 1, "answered");
    expectEqual([images[0]!.width, images[1]!.width], [0, 16], "widths of a moved and a copied image");
    await model.dispose();
  },
};

const FAULTY = 7;

function itemOf(id: number, image: ImageBitmap): PixelItem {
  return id === FAULTY ? { id, image, fault: "throw" } : { id, image };
}

function open() {
  return createBatchedModel<PixelItem, PixelResult>(MODEL, {
    executionProviders: ["wasm"],
    worker: () => new Worker(new URL("../fixtures/pixels.worker.ts", import.meta.url), { type: "module" }),
  });
}

function expectRight({ id, numbers }: PixelResult, wanted: number, expected: readonly number[]): void {
  expectEqual(id, wanted, "id");
  const worst = Math.max(...numbers.map((number, place) => Math.abs(number - expected[place]!)));
  expectTrue(worst <= TOLERANCE, `item ${id}: a difference of at most ${TOLERANCE}, got ${worst}`);
}

function codeOf(error: unknown): string {
  return error instanceof FramebatchError ? error.code : String(error);
}
