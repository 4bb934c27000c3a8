import type { Item } from "@framebatch/rows/tensor/tensor.js";

/** Tensors of an item, and a value for `postprocess`. `passOn` makes it. */
export class Passing<Passed> {
  /** The tensors of the item. */
  readonly inputs: Item;
  /** What `postprocess` gets. */
  readonly passed: Passed;

  /** Use `passOn`. */
  constructor(inputs: Item, passed: Passed) {
    this.inputs = inputs;
    this.passed = passed;
  }
}

/**
 * Returns what `preprocess` returns to pass a value on to `postprocess`: the geometry of an image, tokens, anything that
 * it has computed on the way. The value is neither copied nor sent: it stays in the worker until the item is answered. An
 * item that has to move to another worker is preprocessed again there, so do not close its bitmaps in `preprocess`.
 * @param inputs the tensors of the item, as `preprocess` returns them otherwise
 * @param passed anything
 * @example
 * ```ts
 * import type { OutputsOf } from "framebatch";
 * import { boxesToImage, imageToTensor, type Box, type ImageGeometry } from "framebatch/handlers";
 * import { passOn, serve } from "framebatch/worker";
 *
 * interface Detector {
 *   inputs: { x: Float32Array };
 *   outputs: { box: Float32Array };
 * }
 *
 * serve<ImageBitmap, Box[], ImageGeometry>({
 *   preprocess(image) {
 *     const x = imageToTensor(image, { width: 640, height: 640, fit: "contain" });
 *     return passOn({ x }, x.geometry);
 *   },
 *   postprocess({ box }: OutputsOf<Detector>, image, { passed }) {
 *     const [x = 0, y = 0, width = 0, height = 0] = box.data;
 *     return boxesToImage([{ x, y, width, height }], passed);
 *   },
 * });
 * ```
 */
export function passOn<Passed>(inputs: Item, passed: Passed): Passing<Passed> {
  return new Passing(inputs, passed);
}
