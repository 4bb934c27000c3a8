import type { Load } from "../../measure/slice.js";
import type { Digits } from "./digits.js";
import { createRasterizer, PICTURE_SIZE, type Ink } from "./rasterize.js";
import { sampleDigit } from "./sample-digits.js";
import { swayPose } from "./sway.js";
import { combinePoses, renderPose, variantPose } from "./variants.js";

const PICTURES = 512;
const SWAY_STEP_MS = 97;

/** The wall's own load: as many callers as it has tiles, and pictures of the drawing, swaying. Rendered beforehand. */
export function digitsLoad(digits: Digits): Load {
  const { tiles, pace } = digits.playground.settings;
  const ink = digits.ink.peek() ?? sampleInk();
  const pictures = Array.from({ length: PICTURES }, (_, index) => {
    const picture = new Float32Array(PICTURE_SIZE * PICTURE_SIZE);
    renderPose(
      ink,
      combinePoses(variantPose(index % tiles.peek(), tiles.peek()), swayPose(index * SWAY_STEP_MS)),
      picture,
    );
    return { image: picture };
  });
  return {
    callers: tiles.peek(),
    pace: pace.peek(),
    item: (caller, turn) => pictures[(caller + turn * tiles.peek()) % PICTURES] ?? [],
  };
}

function sampleInk(): Ink {
  const ink = createRasterizer()(sampleDigit(3));
  if (ink === null) throw new Error("A sample digit has no strokes.");
  return ink;
}
