import { expect, it } from "vitest";
import { framed, RATE, type Sound } from "./sound.js";

/** A second of a tone of 440 Hz, in blocks as an AudioWorklet gives them. */
function* toneAt(rate: number): Generator<Float32Array> {
  for (let start = 0; start < rate; start += 128)
    yield Float32Array.from({ length: Math.min(128, rate - start) }, (_, at) => sine((start + at + 0.5) / rate));
}

function sine(seconds: number): number {
  return Math.sin(2 * Math.PI * 440 * seconds);
}

async function framesOf(sound: Sound, rate: number): Promise<Float32Array[]> {
  const frames = [];
  for await (const frame of framed(sound, rate, 512)) frames.push(frame);
  return frames;
}

it.each([16_000, 22_050, 44_100, 48_000, 96_000])("brings %d samples a second to 16,000", async (rate) => {
  const frames = await framesOf(toneAt(rate), rate);
  expect(frames).toHaveLength(Math.floor(RATE / 512));
  const heard = frames.flatMap((frame) => [...frame]);
  const differences = heard.map((sample, at) => Math.abs(sample - sine((at + 0.5) / RATE)));
  expect(Math.max(...differences)).toBeLessThan(0.1);
});

it("leaves sound of 16,000 samples a second as it is", async () => {
  const samples = Float32Array.from({ length: 1024 }, (_, at) => Math.fround(Math.sin(at * at)));
  expect(await framesOf([samples], RATE)).toEqual([samples.slice(0, 512), samples.slice(512)]);
});
