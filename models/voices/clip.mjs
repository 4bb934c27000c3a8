import { Chance } from "./chance.mjs";
import { FRAME, RATE } from "./rate.mjs";
import { Speaker } from "./speech.mjs";
import { addSurroundings } from "./surroundings.mjs";

/** How loud surroundings without a voice are, relative to a voice. */
const ALONE = 0.3;

/**
 * Makes a clip: somebody speaks now and then, or nobody does, and other things are heard. The same seed gives the same
 * clip on every machine.
 *
 * @param {number} seed any integer except 0
 * @param {number} frames
 */
export function makeClip(seed, frames) {
  const chance = new Chance(seed);
  const speech = new Float32Array(frames * FRAME);
  const speaks = new Uint8Array(frames);
  if (chance.happens(0.85)) speakNowAndThen(speech, speaks, chance);
  const others = new Float32Array(frames * FRAME);
  addSurroundings(others, chance);
  if (chance.happens(0.4)) addSurroundings(others, chance);
  return { samples: mix(speech, others, chance), speaks };
}

/** @param {Float32Array} speech @param {Uint8Array} speaks @param {Chance} chance */
function speakNowAndThen(speech, speaks, chance) {
  const speaker = new Speaker(chance);
  let at = Math.round(chance.between(0, 1.5) * RATE);
  while (at < speech.length) {
    const end = Math.min(speech.length, at + Math.round(chance.factor(0.3, 3) * RATE));
    speaker.speak(speech, at, end);
    // A frame counts if the voice fills half of it.
    speaks.fill(1, Math.round(at / FRAME), Math.round(end / FRAME));
    at = end + Math.round(chance.factor(0.2, 2.5) * RATE);
  }
}

/** @param {Float32Array} speech @param {Float32Array} others @param {Chance} chance */
function mix(speech, others, chance) {
  const [voice, rest] = [loudness(speech), loudness(others)];
  const distance = chance.between(2, 30) / 20;
  const share = voice === 0 ? ALONE : 10 ** -distance;
  const level = chance.factor(0.03, 0.25);
  return speech.map((sample, at) => {
    const heard = (voice === 0 ? 0 : sample / voice) + (share * (others[at] ?? 0)) / rest;
    return Math.max(-1, Math.min(1, level * heard));
  });
}

/** The root mean square of what is not silent. @param {Float32Array} sound */
function loudness(sound) {
  let [sum, count] = [0, 0];
  for (const sample of sound) {
    sum += sample * sample;
    if (Math.abs(sample) > 1e-4) count++;
  }
  return count === 0 ? 0 : Math.sqrt(sum / count);
}
