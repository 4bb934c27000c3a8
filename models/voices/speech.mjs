import { RATE } from "./rate.mjs";
import { Resonator } from "./resonator.mjs";

/**
 * @typedef {import("./chance.mjs").Chance} Chance
 * @typedef {object} Sound a part of a syllable: the voice, hiss, both, or neither
 * @property {number} seconds
 * @property {readonly [number, number, number]} from formants at its start, in Hz
 * @property {readonly [number, number, number]} to formants at its end, in Hz
 * @property {number} voice loudness of the voice, 0 to 1
 * @property {number} hiss loudness of the hiss, 0 to 1
 * @property {number} hissHertz
 */

/** Formants of vowels of men, in Hz (Peterson and Barney, 1952). @type {readonly [readonly [number, number, number], ...(readonly [number, number, number])[]]} */
const VOWELS = [
  [270, 2290, 3010],
  [390, 1990, 2550],
  [530, 1840, 2480],
  [660, 1720, 2410],
  [730, 1090, 2440],
  [570, 840, 2410],
  [440, 1020, 2240],
  [300, 870, 2240],
  [640, 1190, 2390],
  [490, 1350, 1690],
];

/** Formants with the mouth closed. @type {readonly [number, number, number]} */
const NASAL = [250, 1100, 2200];

/** Pitch and length of the vocal tract, relative to that of a man. @type {readonly [readonly [number, number, number], ...(readonly [number, number, number])[]]} */
const SPEAKERS = [
  [85, 160, 1],
  [160, 260, 1.17],
  [240, 360, 1.3],
];

/** How a syllable may begin. @type {readonly ["fricative", "plosive", "nasal", "none"]} */
const ONSETS = ["fricative", "plosive", "nasal", "none"];

const FORMANT_WIDTHS = [70, 100, 140, 250];
const FOURTH_FORMANT = 3500;
/** How often pitch and formants change, in samples. */
const CONTROL = 64;

/** Somebody who speaks: a source of pulses and noise, and four formants. */
export class Speaker {
  /** @readonly */
  #chance;
  /** @readonly */
  #pitch;
  /** @readonly */
  #tract;
  /** @readonly */
  #breath;
  /** @readonly */
  #formants = FORMANT_WIDTHS.map(() => new Resonator());
  /** @readonly */
  #mouth = new Resonator();
  #phase = 0;
  #voice = 0;
  #hiss = 0;

  /** @param {Chance} chance */
  constructor(chance) {
    this.#chance = chance;
    const [low, high, tract] = chance.oneOf(SPEAKERS);
    this.#pitch = chance.between(low, high);
    this.#tract = tract * chance.between(0.92, 1.08);
    this.#breath = chance.factor(0.01, 0.2);
  }

  /** Adds what is said in a time to a sound. @param {Float32Array} sound @param {number} start @param {number} end */
  speak(sound, start, end) {
    const phrase = { start, end, bend: this.#chance.between(-0.25, 0.1), pace: this.#chance.between(0.75, 1.4) };
    let at = start;
    while (at < end) {
      for (const part of this.#syllable(phrase.pace)) at = this.#utter(sound, at, end, part, phrase);
    }
  }

  /** @param {number} pace @returns {Sound[]} */
  #syllable(pace) {
    const chance = this.#chance;
    const [from, to] = [this.#shape(chance.oneOf(VOWELS)), this.#shape(chance.oneOf(VOWELS))];
    const nucleus = {
      seconds: pace * chance.between(0.07, 0.22),
      from,
      to: chance.happens(0.5) ? from : to,
      voice: chance.between(0.5, 1),
      hiss: 0,
      hissHertz: 3000,
    };
    return [...this.#onset(pace, from), nucleus];
  }

  /** @param {number} pace @param {readonly [number, number, number]} next @returns {Sound[]} */
  #onset(pace, next) {
    const chance = this.#chance;
    const closed = this.#shape(NASAL);
    const part = (/** @type {Partial<Sound>} */ own) => ({
      seconds: pace * chance.between(0.04, 0.12),
      from: closed,
      to: next,
      voice: 0,
      hiss: 0,
      hissHertz: chance.factor(1800, 6500),
      ...own,
    });
    switch (chance.oneOf(ONSETS)) {
      case "fricative":
        return [part({ hiss: chance.between(0.1, 0.6), voice: chance.happens(0.3) ? 0.3 : 0 })];
      case "plosive":
        return [
          part({ seconds: chance.between(0.03, 0.08) }),
          part({ seconds: chance.between(0.008, 0.03), hiss: 0.7 }),
        ];
      case "nasal":
        return [part({ voice: chance.between(0.2, 0.5), to: closed })];
      default:
        return [];
    }
  }

  /** @param {readonly [number, number, number]} formants @returns {[number, number, number]} */
  #shape([first, second, third]) {
    const own = () => this.#tract * this.#chance.between(0.93, 1.07);
    return [first * own(), second * own(), third * own()];
  }

  /**
   * Adds a part of a syllable. Returns where it ends.
   *
   * @param {Float32Array} sound
   * @param {number} start
   * @param {number} most
   * @param {Sound} part
   * @param {{ readonly start: number, readonly end: number, readonly bend: number }} phrase
   */
  #utter(sound, start, most, part, phrase) {
    const end = Math.min(most, start + Math.round(part.seconds * RATE));
    for (let at = start; at < end; at++) {
      if ((at - start) % CONTROL === 0) this.#tune(part, (at - start) / (end - start));
      const through = (at - phrase.start) / (phrase.end - phrase.start);
      const fade = Math.min(1, (phrase.end - at) / (0.05 * RATE));
      sound[at] = (sound[at] ?? 0) + fade * this.#sample(part, 1 + phrase.bend * through);
    }
    return end;
  }

  /** @param {Sound} part @param {number} through */
  #tune({ from, to, hissHertz }, through) {
    for (const [index, width] of FORMANT_WIDTHS.entries()) {
      const [first, last] = [from[index] ?? FOURTH_FORMANT * this.#tract, to[index] ?? FOURTH_FORMANT * this.#tract];
      this.#formants[index]?.tune(first + through * (last - first), width);
    }
    this.#mouth.tune(hissHertz, 0.4 * hissHertz);
  }

  /** @param {Sound} part @param {number} bend */
  #sample({ voice, hiss }, bend) {
    // Loudness follows slowly, so that nothing clicks.
    this.#voice += 0.01 * (voice - this.#voice);
    this.#hiss += 0.02 * (hiss - this.#hiss);
    const noise = this.#chance.noise();
    this.#phase = (this.#phase + (this.#pitch * bend * (1 + 0.02 * noise)) / RATE) % 1;
    const pulse = this.#phase < 0.6 ? Math.sin((2 * Math.PI * this.#phase) / 0.6) : 0;
    let spoken = this.#voice * (pulse + this.#breath * noise);
    for (const formant of this.#formants) spoken = formant.pass(spoken);
    return spoken + 0.4 * this.#mouth.pass(this.#hiss * noise);
  }
}
