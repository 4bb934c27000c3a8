import type { Load, TileDrawing } from "../../measure/load.js";
import type { Settings } from "../../settings.js";
import { FRAME, makeClip } from "@framebatch/models/voices";

/** Seeds of the clips that are measured, each a second long. */
const SEEDS = [1, 2, 3, 4];
const FRAMES = 31;

/** The load of the scene: one caller per stream, whose requests are the steps of its sequence. */
export function streamsLoad({ streams, pace }: Settings): Load {
  const clips = SEEDS.map((seed) => makeClip(seed, FRAMES).samples);
  return {
    callers: streams.peek(),
    pace: pace.peek(),
    hasSequences: true,
    item: (caller, turn) => ({ audio: frameOf(clips[caller % clips.length], caller + turn) }),
    draw: drawVoice,
  };
}

function frameOf(clip: Float32Array = new Float32Array(FRAME), step: number): Float32Array {
  const start = (step % FRAMES) * FRAME;
  return clip.subarray(start, start + FRAME);
}

/** Draws a tile: a bar as high as the model is sure of a voice. */
function drawVoice({ context, size, outputs, colours }: TileDrawing): void {
  const voice = Number(outputs["voice"]?.data[0]);
  context.fillStyle = voice > 0.5 ? colours.accent : colours.muted;
  const height = size * Math.max(0.06, 0.84 * voice);
  context.fillRect(0.2 * size, 0.92 * size - height, 0.6 * size, height);
}
