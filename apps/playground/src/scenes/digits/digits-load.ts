import type { Load, TileDrawing } from "../../measure/load.js";
import type { Digits } from "./digits.js";
import { PictureAtlas } from "./wall/picture-atlas.js";
import { createRasterizer, PICTURE_SIZE, type Ink } from "./pad/rasterize.js";
import { toReading } from "./pad/read-digit.js";
import { sampleDigit } from "./pad/sample-digits.js";
import { swayPose } from "./wall/sway.js";
import { combinePoses, renderPose, variantPose } from "./wall/variants.js";

const PICTURES = 1024;
const SWAY_STEP_MS = 97;

/**
 * The load of the digit wall: one caller per tile, with pictures of the drawing as it sways. The pictures are rendered
 * in advance.
 */
export function digitsLoad(digits: Digits): Load {
  const tiles = digits.playground.settings.tiles.peek();
  const pictures = renderPictures(digits.ink.peek() ?? sampleInk(), tiles);
  const items = pictures.map((image) => ({ image }));
  const pictureOf = (caller: number, turn: number): number => (caller + turn * tiles) % PICTURES;
  return {
    callers: tiles,
    pace: digits.playground.settings.pace.peek(),
    item: (caller, turn) => items[pictureOf(caller, turn)] ?? [],
    draw: drawFrom(pictures, pictureOf),
  };
}

function renderPictures(ink: Ink, tiles: number): Float32Array[] {
  return Array.from({ length: PICTURES }, (_, index) => {
    const picture = new Float32Array(PICTURE_SIZE * PICTURE_SIZE);
    const pose = combinePoses(variantPose(index % tiles, tiles), swayPose(index * SWAY_STEP_MS));
    renderPose(ink, pose, picture);
    return picture;
  });
}

/** Draws a tile: the last classified picture and its predicted digit. */
function drawFrom(
  pictures: readonly Float32Array[],
  pictureOf: (caller: number, turn: number) => number,
): (tile: TileDrawing) => void {
  let atlas: PictureAtlas | null = null;
  return ({ context, size, caller, turn, outputs, colours }) => {
    if (atlas?.ink !== colours.ink) atlas = new PictureAtlas(pictures, colours.ink);
    context.globalAlpha = 0.4;
    context.fillStyle = colours.line;
    context.fillRect(0, 0, size, size);
    context.globalAlpha = 1;
    atlas.draw(context, pictureOf(caller, turn), size);
    context.fillStyle = colours.accent;
    context.font = `650 ${Math.round(0.32 * size)}px system-ui, sans-serif`;
    context.textAlign = "right";
    context.fillText(String(toReading(outputs["logits"]?.data ?? []).digit), 0.98 * size, 0.96 * size);
  };
}

function sampleInk(): Ink {
  const ink = createRasterizer()(sampleDigit(3));
  if (ink === null) throw new Error("A sample digit has no strokes.");
  return ink;
}
