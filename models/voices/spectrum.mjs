import { FRAME, RATE } from "./rate.mjs";

/** Samples of a window; a frame has two. */
export const WINDOW = 256;

/** Windows of a frame. */
export const WINDOWS = FRAME / WINDOW;

/** Frequencies of a window, without 0 Hz. */
export const BINS = WINDOW / 2;

/** Bands of frequencies, as wide as an ear tells apart. */
export const BANDS = 32;

/** Added to the power of a band before its logarithm: about the noise of a quiet microphone. */
export const FLOOR = 1e-5;

const LOWEST_HERTZ = 60;

/** The cosines, then the sines of all frequencies of a window: [WINDOW, 2 · BINS]. */
export function waves() {
  const table = new Float32Array(WINDOW * 2 * BINS);
  for (let at = 0; at < WINDOW; at++) {
    const fade = 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / WINDOW);
    for (let bin = 0; bin < BINS; bin++) {
      const angle = (2 * Math.PI * (bin + 1) * at) / WINDOW;
      table[at * 2 * BINS + bin] = fade * Math.cos(angle);
      table[at * 2 * BINS + BINS + bin] = fade * Math.sin(angle);
    }
  }
  return table;
}

/** The share of each frequency in each band: [BINS, BANDS]. */
export function bands() {
  const [low, high] = [toMel(LOWEST_HERTZ), toMel(RATE / 2)];
  const centre = (/** @type {number} */ band) => low + ((high - low) * (band + 1)) / (BANDS + 1);
  const table = new Float32Array(BINS * BANDS);
  for (let bin = 0; bin < BINS; bin++) {
    const mel = toMel(((bin + 1) * RATE) / WINDOW);
    for (let band = 0; band < BANDS; band++) {
      // The lowest bands are narrower than a frequency: each takes at least the nearest two.
      const width = Math.max(centre(1) - centre(0), toMel(((bin + 2) * RATE) / WINDOW) - mel);
      table[bin * BANDS + band] = Math.max(0, 1 - Math.abs(mel - centre(band)) / width) / WINDOW;
    }
  }
  return table;
}

/** @param {number} hertz */
function toMel(hertz) {
  return 2595 * Math.log10(1 + hertz / 700);
}
