/** Samples of a second of sound. */
export const RATE: number;

/** Samples of a step of the detector: 32 ms. */
export const FRAME: number;

/** A clip of generated sound. */
export interface Clip {
  /** From -1 to 1, a whole number of frames. */
  readonly samples: Float32Array;
  /** 1 for each frame in which somebody speaks. */
  readonly speaks: Uint8Array;
}

/**
 * Makes a clip: somebody speaks now and then, or nobody does, and other things are heard. The same seed gives the same
 * clip on every machine. Training used the seeds from 10,000 on.
 *
 * @param seed any integer except 0
 */
export function makeClip(seed: number, frames: number): Clip;
