import type { ItemShape } from "framebatch";

/**
 * A line of text, cut out of its page: RGBA, [48, width, 4], padded to the width of its bucket. It is a tensor, as the
 * items of any model.
 */
export type LineImage = {
  readonly pixels: { readonly data: Uint8ClampedArray<ArrayBuffer>; readonly dims: readonly [number, number, number] };
};

/**
 * Lines share a batch if they are padded to the same width. The model mixes all columns of a line, so more padding would
 * change its answer.
 */
export function shapeOfLine({ pixels }: LineImage): ItemShape {
  const [, width] = pixels.dims;
  return { group: String(width), extents: [width] };
}

export function toLineImage(canvas: OffscreenCanvas): LineImage {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("expected a 2D canvas, got none");
  const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
  return { pixels: { data, dims: [height, width, 4] } };
}
