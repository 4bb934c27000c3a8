/** A source of numbers in [0, 1). The same seed gives the same numbers on every machine. */
export type Random = () => number;

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state, fast, and random enough to scatter arrivals. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + STEP) | 0;
    return scramble(state);
  };
}

/** Returns the number at a position of a seed's stream, independently of earlier draws. */
export function randomAt(seed: number, place: number): number {
  return scramble((seed + Math.imul(place + 1, STEP)) | 0);
}

const STEP = 0x6d2b79f5;

function scramble(state: number): number {
  let bits = Math.imul(state ^ (state >>> 15), 1 | state);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
}

/** Returns a seed for one of several independent streams of a run. */
export function streamSeed(seed: number, stream: string): number {
  let hash = Math.imul(seed + 1, 0x9e3779b1);
  for (let i = 0; i < stream.length; i++) hash = Math.imul(hash ^ stream.charCodeAt(i), 0x01000193);
  return hash;
}

/** Draws the time to the next arrival of a Poisson stream. */
export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean;
}

/** Draws from a normal distribution with the Box-Muller method. */
export function normal(random: Random, mean: number, deviation: number): number {
  return mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
