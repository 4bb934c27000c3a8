import { PICTURE_SIZE } from "../pad/rasterize.js";

const COLUMNS = 32;

/**
 * All pictures side by side on one canvas, in one colour. Copying from a canvas is much faster than drawing from pixel
 * values.
 */
export class PictureAtlas {
  /** A CSS colour. */
  readonly ink: string;
  readonly #canvas: OffscreenCanvas;

  constructor(pictures: readonly Float32Array[], ink: string) {
    this.ink = ink;
    this.#canvas = new OffscreenCanvas(COLUMNS * PICTURE_SIZE, Math.ceil(pictures.length / COLUMNS) * PICTURE_SIZE);
    const context = this.#canvas.getContext("2d");
    if (context === null) throw new Error("This browser does not provide a 2D canvas context.");
    for (const [index, picture] of pictures.entries()) {
      const { x, y } = placeOf(index);
      context.putImageData(toImage(picture), x, y);
    }
    context.globalCompositeOperation = "source-in";
    context.fillStyle = ink;
    context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
  }

  draw(context: CanvasRenderingContext2D, index: number, size: number): void {
    const { x, y } = placeOf(index);
    context.drawImage(this.#canvas, x, y, PICTURE_SIZE, PICTURE_SIZE, 0, 0, size, size);
  }
}

function placeOf(index: number): { readonly x: number; readonly y: number } {
  return { x: (index % COLUMNS) * PICTURE_SIZE, y: Math.floor(index / COLUMNS) * PICTURE_SIZE };
}

/** Writes the amount of ink into the alpha channel. The constructor adds the colour afterwards. */
function toImage(picture: Float32Array): ImageData {
  const image = new ImageData(PICTURE_SIZE, PICTURE_SIZE);
  for (let index = 0; index < picture.length; index++) image.data[4 * index + 3] = 255 * (picture[index] ?? 0);
  return image;
}
