import { promptOf, STOP } from "@framebatch/models/translator";
import type { Load, TileDrawing } from "../../measure/load.js";
import type { Settings } from "../../settings.js";
import { SENTENCES } from "./sentences.js";

/** More words than any sentence has. */
const MAX_WORDS = 20;

/** The load of the scene: one caller for each sentence, whose request is its translation. */
export function translateLoad({ tiles, pace }: Settings): Load {
  const prompts = SENTENCES.map(promptOf);
  const callers = tiles.peek();
  return {
    callers,
    pace: pace.peek(),
    texts: { maxNewTokens: MAX_WORDS, stop: [STOP] },
    item: (caller, turn) => ({ input_ids: prompts[(caller + turn * callers) % prompts.length] ?? [] }),
    draw: drawWords,
  };
}

/** Draws a tile: a bar as high as the translation has words. */
function drawWords({ context, size, outputs, colours }: TileDrawing): void {
  const words = outputs["tokens"]?.data.length ?? 0;
  const height = (0.84 * size * words) / MAX_WORDS;
  context.fillStyle = colours.accent;
  context.fillRect(0.2 * size, 0.92 * size - height, 0.6 * size, height);
}
