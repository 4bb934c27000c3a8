import { fromOutputs } from "@framebatch/ocr/reader/line-text";
import type { LineImage } from "@framebatch/ocr/reader/line-image";
import type { Load, TileDrawing } from "../../measure/load.js";
import type { ReadPage } from "./read-page.js";

/** The characters of a line that fit into a tile. */
const SHOWN = 4;

/** The load of the page: each caller reads one line of the picture after the other, or empty lines if it has no text. */
export function readPageLoad(scene: ReadPage): Load {
  const { tiles, pace } = scene.playground.settings;
  const callers = tiles.peek();
  const lines = scene.lineImages.peek() ?? [];
  const items = lines.length === 0 ? [emptyLine(320)] : lines;
  return {
    callers,
    pace: pace.peek(),
    item: (caller, turn) => items[(caller + turn * callers) % items.length] ?? [],
    draw: drawStart,
  };
}

function emptyLine(width: number): LineImage {
  return { pixels: { data: new Uint8ClampedArray(48 * width * 4).fill(255), dims: [48, width, 4] } };
}

/** Draws a tile: the first characters of its latest line. */
function drawStart({ context, size, outputs, colours }: TileDrawing): void {
  const { text } = fromOutputs(outputs);
  context.fillStyle = colours.accent;
  context.font = `600 ${Math.round(0.36 * size)}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.fillText(text.slice(0, SHOWN), size / 2, 0.64 * size, size);
}
