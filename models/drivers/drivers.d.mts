/** A closed road, as equally spaced points of its centre line. */
export interface Track {
  /** In units; a world has 400 × 300. */
  readonly length: number;
  /** Distance between two points, in units. */
  readonly step: number;
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** In radians. */
  readonly heading: Float32Array;
  /** Curvature in 1/units. */
  readonly bend: Float32Array;
}

/** Size of a world, in units. */
export const WORLD: { readonly width: number; readonly height: number };

/** Half the width of every road, in units. */
export const HALF_WIDTH: number;

/** The seed of the track that the page shows. Training never drives on it. */
export const SHOWN_TRACK: number;

/** Makes the track of a seed, any integer except 0: the same on every machine. */
export function makeTrack(seed: number): Track;

/** The numbers that a car sees. */
export const VIEW_SIZE: number;

/** The numbers with which a driver answers: steering and throttle, -1 to 1. */
export const CONTROLS: number;

/** Cars on one track, which drive through each other. */
export class Traffic {
  /** @param seed any integer except 0 */
  constructor(track: Track, cars: number, seed: number);
  readonly track: Track;
  /** How many of the cars drive, from the first on. The others stand still. */
  count: number;
  /** Distance of each car along the centre line, in units. */
  readonly along: Float32Array;
  /** Distance of each car from the centre line, in units. */
  readonly beside: Float32Array;
  /** Angle of each car to the centre line, in radians. */
  readonly angle: Float32Array;
  /** Seconds until a crashed car drives again; 0 while it drives. */
  readonly pause: Float32Array;
  /** Steering and throttle of each car: the answers of its driver, as they come. */
  readonly controls: Float32Array;
  readonly crashes: number;
  /** The sum over all cars, in units. */
  readonly distance: number;
  /** The sum over all cars of the time in which they drove or waited after a crash. */
  readonly seconds: number;
  /** Writes what a car sees into `view`, `VIEW_SIZE` numbers. */
  look(car: number, view: Float32Array): void;
  /** Moves all cars. @param seconds at most 1/30 */
  drive(seconds: number): void;
}
