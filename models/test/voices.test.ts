import { readFile } from "node:fs/promises";
import * as ort from "onnxruntime-web/wasm";
import { describe, expect, it } from "vitest";
import { FRAME, makeClip } from "@framebatch/models/voices";
import { float32, tensorOf, valuesOf } from "./run-model.js";

const FRAMES = 125;
const CLIPS = 20;
/** Below those of the training. */
const FIRST_SEED = 9000;
const MEMORY = 96;

const clips = Array.from({ length: CLIPS }, (_, clip) => makeClip(FIRST_SEED + clip, FRAMES));

/** Returns the share of right answers over all clips, whose frames are one batch a step. */
async function shareOfRight(remembers: boolean): Promise<number> {
  const session = await ort.InferenceSession.create(await readFile(new URL("../voices/voices.onnx", import.meta.url)));
  let memory = float32(new Float32Array(CLIPS * MEMORY), [CLIPS, MEMORY]);
  let right = 0;
  for (let frame = 0; frame < FRAMES; frame++) {
    const heard = clips.flatMap(({ samples }) => [...samples.subarray(frame * FRAME, (frame + 1) * FRAME)]);
    const outputs = await session.run({ audio: float32(heard, [CLIPS, FRAME]), memory });
    const answers = valuesOf(tensorOf(outputs, "voice"));
    right += clips.filter(({ speaks }, clip) => Number((answers[clip] ?? 0) > 0.5) === speaks[frame]).length;
    if (remembers) memory = float32(valuesOf(tensorOf(outputs, "memoryN")), [CLIPS, MEMORY]);
  }
  await session.release();
  return right / (CLIPS * FRAMES);
}

describe("the voice detector", () => {
  it("hears voices that it has not met, by what it remembers", async () => {
    expect(await shareOfRight(true)).toBeGreaterThan(0.95);
    expect(await shareOfRight(false)).toBeLessThan(0.85);
  });
});

it("a clip is the same each time, and its sound within limits", () => {
  expect(makeClip(7, 10)).toEqual(makeClip(7, 10));
  for (const { samples } of clips) expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
});
