import { RATE } from "./rate.mjs";

/**
 * @typedef {import("./chance.mjs").Chance} Chance
 * @typedef {(sound: Float32Array, chance: Chance) => void} AddSound
 */

/** What is heard besides voices. @type {readonly [AddSound, ...AddSound[]]} */
const SURROUNDINGS = [addNoise, addNoise, addSwellingNoise, addHum, addMusic, addTaps, addBeeps];

/** Adds one of the sounds of rooms and streets. @param {Float32Array} sound @param {Chance} chance */
export function addSurroundings(sound, chance) {
  chance.oneOf(SURROUNDINGS)(sound, chance);
}

/** Rain, traffic, a fan: noise from white to brown. @type {AddSound} */
function addNoise(sound, chance) {
  const dull = chance.factor(0.01, 1);
  let level = 0;
  for (let at = 0; at < sound.length; at++) {
    level += dull * (chance.noise() - level);
    sound[at] = (sound[at] ?? 0) + level / Math.sqrt(dull);
  }
}

/** Waves, wind, applause: noise that comes and goes, as often as syllables do. @type {AddSound} */
function addSwellingNoise(sound, chance) {
  const dull = chance.factor(0.03, 1);
  const [beats, sharpness] = [chance.factor(0.5, 9), chance.between(0.5, 4)];
  let level = 0;
  for (let at = 0; at < sound.length; at++) {
    level += dull * (chance.noise() - level);
    const swell = (0.5 + 0.5 * Math.sin((2 * Math.PI * beats * at) / RATE)) ** sharpness;
    sound[at] = (sound[at] ?? 0) + (swell * level) / Math.sqrt(dull);
  }
}

/** Transformers, engines: many harmonics of a low tone. @type {AddSound} */
function addHum(sound, chance) {
  addTone(sound, {
    hertz: chance.factor(45, 220),
    from: 0,
    to: sound.length,
    fall: 0,
    harmonics: chance.between(0.3, 0.85),
  });
}

/** Notes that follow each other, some at once. @type {AddSound} */
function addMusic(sound, chance) {
  const [beatS, harmonics, fall] = [chance.factor(0.12, 0.9), chance.between(0.2, 0.75), chance.factor(0.5, 8)];
  const voices = Math.floor(chance.between(1, 4));
  const beat = Math.round(beatS * RATE);
  for (let from = 0; from < sound.length; from += beat) {
    for (let voice = 0; voice < voices; voice++) {
      const hertz = 110 * 2 ** (Math.floor(chance.between(0, 36)) / 12);
      addTone(sound, { hertz, from, to: Math.min(sound.length, from + beat), fall, harmonics });
    }
  }
}

/** A keyboard, steps, dishes. @type {AddSound} */
function addTaps(sound, chance) {
  let at = 0;
  while (at < sound.length) {
    const [fall, loud] = [chance.factor(0.002, 0.03) * RATE, chance.between(0.3, 3)];
    const end = Math.min(sound.length, at + Math.round(5 * fall));
    for (let place = at; place < end; place++) {
      sound[place] = (sound[place] ?? 0) + loud * chance.noise() * Math.exp(-(place - at) / fall);
    }
    at += Math.round(chance.factor(0.06, 0.8) * RATE);
  }
}

/** Telephones, machines that call. @type {AddSound} */
function addBeeps(sound, chance) {
  const [hertz, onS, offS] = [chance.factor(250, 3500), chance.factor(0.05, 0.7), chance.factor(0.05, 1.5)];
  const period = Math.round((onS + offS) * RATE);
  for (let from = 0; from < sound.length; from += period) {
    addTone(sound, { hertz, from, to: Math.min(sound.length, from + Math.round(onS * RATE)), fall: 0, harmonics: 0.2 });
  }
}

/**
 * Adds a tone whose nth harmonic has the strength `harmonics` to the power of n - 1.
 *
 * @param {Float32Array} sound
 * @param {{ hertz: number, from: number, to: number, fall: number, harmonics: number }} tone `fall` in 1/s
 */
function addTone(sound, { hertz, from, to, fall, harmonics }) {
  for (let order = 1, loud = 1; order <= 24 && order * hertz < RATE / 2 && loud > 0.01; order++, loud *= harmonics) {
    const step = (2 * Math.PI * order * hertz) / RATE;
    for (let at = from; at < to; at++) {
      const edge = Math.min(1, (at - from) / 80, (to - at) / 80);
      sound[at] =
        (sound[at] ?? 0) + loud * edge * Math.exp((-fall * (at - from)) / RATE) * Math.sin(step * (at - from));
    }
  }
}
