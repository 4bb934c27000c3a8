import type { Colour } from "../../../theme.js";
import { PICTURE_SIZE } from "../pad/rasterize.js";

/** Width and height of a tile, in pixels: the picture, with space for the label below and beside it. */
export const TILE_SIZE = PICTURE_SIZE + 4;
/** Pixels between two tiles. */
export const TILE_GAP = 3;
const INSET = 1;

/**
 * One canvas for the pictures of all tiles. Tiles write into its pixels at any time; the whole canvas is painted once
 * per frame. With hundreds of canvases, painting would cost more than classification.
 */
export class WallCanvas {
  readonly #context: CanvasRenderingContext2D;
  readonly #columns: number;
  readonly #image: ImageData;
  /** The pixels of the image as 0xAABBGGRR, since browsers run on little-endian machines. */
  readonly #pixels: Uint32Array;
  #frame = 0;
  #isDisposed = false;

  constructor(canvas: HTMLCanvasElement, tiles: number) {
    // The CPU writes the canvas in every frame, so it must not be stored on the GPU.
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (context === null) throw new Error("This browser does not provide a 2D canvas context.");
    this.#columns = columnsFor(tiles);
    canvas.width = wallSide(tiles);
    canvas.height = canvas.width;
    this.#context = context;
    this.#image = new ImageData(canvas.width, canvas.height);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
  }

  /** Draws a tile's picture in one colour, and below it a bar whose length is the confidence. */
  paint(tile: number, picture: Float32Array, colour: Colour, bar: { share: number; colour: Colour }): void {
    if (this.#isDisposed) return;
    const width = this.#image.width;
    const corner = this.#corner(tile);
    const ink = pack(colour);
    for (let row = 0, index = 0; row < PICTURE_SIZE; row++) {
      const start = corner + (row + INSET) * width + INSET;
      for (let column = 0; column < PICTURE_SIZE; column++, index++) {
        this.#pixels[start + column] = ink | (((picture[index] ?? 0) * 255) << 24);
      }
    }
    this.#paintBar(corner + (TILE_SIZE - 1) * width, bar.share, bar.colour);
    this.#frame ||= requestAnimationFrame(() => this.#show());
  }

  #paintBar(start: number, share: number, colour: Colour): void {
    const end = start + Math.round(share * TILE_SIZE);
    this.#pixels.fill(pack(colour) | (255 << 24), start, end);
    this.#pixels.fill(0, end, start + TILE_SIZE);
  }

  /** Stops painting, so that the next wall can use the canvas. */
  dispose(): void {
    this.#isDisposed = true;
    cancelAnimationFrame(this.#frame);
  }

  #show(): void {
    this.#frame = 0;
    this.#context.putImageData(this.#image, 0, 0);
  }

  #corner(tile: number): number {
    const pitch = TILE_SIZE + TILE_GAP;
    return Math.floor(tile / this.#columns) * pitch * this.#image.width + (tile % this.#columns) * pitch;
  }
}

/** Tiles per row of a square wall. */
export function columnsFor(tiles: number): number {
  return Math.ceil(Math.sqrt(tiles));
}

/** Pixels per side of the wall. */
export function wallSide(tiles: number): number {
  return columnsFor(tiles) * (TILE_SIZE + TILE_GAP) - TILE_GAP;
}

function pack([red, green, blue]: Colour): number {
  return (blue << 16) | (green << 8) | red;
}
