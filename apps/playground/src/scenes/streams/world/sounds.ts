import { FRAME, makeClip } from "@framebatch/models/voices";
import { loudnessOf } from "./loudness.js";

/** Different clips. Streams that share one are at different places of it. */
const CLIPS = 12;

/** Frames of a clip: 4 s. */
const FRAMES = 125;

/** How far apart streams are in the same clip, in frames. */
const APART = 37;

export interface Frame {
  readonly audio: Float32Array;
  readonly loudness: number;
}

/** What the streams hear, again and again: generated voices and noises. */
export class Sounds {
  readonly #clips: readonly (readonly Frame[])[] = Array.from({ length: CLIPS }, (_, clip) => framesOf(clip + 1));

  frame(stream: number, step: number): Frame {
    const frames = this.#clips[stream % CLIPS] ?? [];
    return frames[(stream * APART + step) % FRAMES] ?? { audio: new Float32Array(FRAME), loudness: 0 };
  }
}

function framesOf(seed: number): Frame[] {
  const { samples } = makeClip(seed, FRAMES);
  return Array.from({ length: FRAMES }, (_, frame) => {
    const audio = samples.subarray(frame * FRAME, (frame + 1) * FRAME);
    return { audio, loudness: loudnessOf(audio) };
  });
}
