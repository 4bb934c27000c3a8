/** Prints how well voices.onnx hears voices: node voices/evaluate.mjs [WAV …]. See README.md. */
import { readFileSync } from "node:fs";
import * as ort from "onnxruntime-web/wasm";
import { makeClip } from "./clip.mjs";
import { MEMORY } from "./detector.mjs";
import { FRAME, RATE } from "./rate.mjs";

/** Clips of 8 s that training has not seen. */
const CLIPS = 200;
const FRAMES = 250;
const FIRST_SEED = 5000;

ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(new URL("voices.onnx", import.meta.url)));
const files = process.argv.slice(2);
if (files.length > 0) for (const file of files) await printFile(file);
else await printClips();

async function printClips() {
  const counts = { right: 0, all: 0, voices: 0, heard: 0, other: 0, mistaken: 0, forgetful: 0 };
  for (let clip = 0; clip < CLIPS; clip++) {
    const { samples, speaks } = makeClip(FIRST_SEED + clip, FRAMES);
    const [answers, forgetful] = [await listen(samples, true), await listen(samples, false)];
    for (const [frame, isVoice] of speaks.entries()) {
      const [says, wouldSay] = [(answers[frame] ?? 0) > 0.5, (forgetful[frame] ?? 0) > 0.5];
      counts.all++;
      counts.right += Number(says === Boolean(isVoice));
      counts.forgetful += Number(wouldSay === Boolean(isVoice));
      counts.voices += isVoice;
      counts.heard += Number(says && Boolean(isVoice));
      counts.other += 1 - isVoice;
      counts.mistaken += Number(says && !isVoice);
    }
  }
  const percent = (/** @type {number} */ part, /** @type {number} */ whole) => `${((100 * part) / whole).toFixed(1)} %`;
  console.log(`right, of all steps: ${percent(counts.right, counts.all)}`);
  console.log(`the same without a state: ${percent(counts.forgetful, counts.all)}`);
  console.log(`voices that are heard: ${percent(counts.heard, counts.voices)}`);
  console.log(`other sounds taken for a voice: ${percent(counts.mistaken, counts.other)}`);
}

/** @param {string} file mono, 16 bits */
async function printFile(file) {
  const samples = resampled(readWav(readFileSync(file)));
  const answers = await listen(samples, true);
  console.log(file, answers.map((voice) => Math.round(9 * voice)).join(""));
}

/** Returns the answer for each frame. @param {Float32Array} samples @param {boolean} remembers */
async function listen(samples, remembers) {
  const answers = [];
  let memory = new ort.Tensor("float32", new Float32Array(MEMORY), [1, MEMORY]);
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
    const audio = new ort.Tensor("float32", samples.slice(at, at + FRAME), [1, FRAME]);
    const { voice, memoryN } = await session.run({ audio, memory });
    answers.push(Number(voice?.data[0]));
    if (remembers && memoryN !== undefined)
      memory = new ort.Tensor("float32", Float32Array.from(memoryN.data, Number), [1, MEMORY]);
  }
  return answers;
}

/** @param {Buffer} wav */
function readWav(wav) {
  const start = wav.indexOf("data") + 8;
  const samples = Float32Array.from(
    { length: (wav.length - start) >> 1 },
    (_, at) => wav.readInt16LE(start + 2 * at) / 32768,
  );
  return { samples, rate: wav.readUInt32LE(24) };
}

/** The mean of the samples that fall on each. @param {{ samples: Float32Array, rate: number }} wav */
function resampled({ samples, rate }) {
  const ratio = rate / RATE;
  return Float32Array.from({ length: Math.floor(samples.length / ratio) }, (_, at) => {
    const part = samples.subarray(
      Math.floor(at * ratio),
      Math.max(Math.floor(at * ratio) + 1, Math.floor((at + 1) * ratio)),
    );
    return part.reduce((sum, sample) => sum + sample, 0) / part.length;
  });
}
