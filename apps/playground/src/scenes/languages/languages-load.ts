import { encodeText, languages } from "@framebatch/models/languages";
import type { Load, TileDrawing } from "../../measure/load.js";
import type { Languages } from "./languages.js";
import { sampleTexts } from "./sample-texts.js";

const TEXTS = 2048;

/**
 * The load of the text table: one caller per active row. Each caller classifies one text after the other. The texts are
 * encoded in advance.
 */
export function languagesLoad(scene: Languages): Load {
  const { tiles, pace } = scene.playground.settings;
  const callers = tiles.peek();
  const rows = scene.table.peek()?.rows ?? [];
  const items = (rows.length === 0 ? sampleTexts : rows.slice(0, TEXTS))
    .map(({ text }) => encodeText(text))
    .filter(({ ids }) => ids.length > 0);
  return {
    callers,
    pace: pace.peek(),
    item: (caller, turn) => items[(caller + turn * callers) % items.length] ?? [],
    draw: drawTag,
  };
}

/** Draws a tile: the tag of the language predicted for its latest text. */
function drawTag({ context, size, outputs, colours }: TileDrawing): void {
  const logits = Array.from(outputs["logits"]?.data ?? [], Number);
  const tag = languages[logits.indexOf(Math.max(...logits))]?.tag.split("-")[0] ?? "";
  context.fillStyle = colours.accent;
  context.font = `600 ${Math.round(0.45 * size)}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.fillText(tag, size / 2, 0.66 * size);
}
