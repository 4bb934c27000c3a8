/** Samples of a second of sound. */
export const RATE = 16_000;

/** Samples of a step of the detector: 32 ms. */
export const FRAME = 512;
