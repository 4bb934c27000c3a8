/** Numbers in [0, 1). */
export type Random = () => number;

/** Returns a function that gives the elements of one tensor, in order. */
type Fill = (length: number, random: Random, isHalf: boolean) => (index: number) => number;

/**
 * Distribution of a generated tensor's elements: floating-point ones, and integers as a share of their range in [0, 1).
 */
export interface Spread {
  readonly floats: Fill;
  readonly wholes: Fill;
}

const spiky: (spike: number) => Fill = (spike) => (length, random) => {
  const place = Math.floor(random() * length);
  return (index) => (index === place ? spike : 0);
};

const even: (least: number, most: number) => Fill = (least, most) => (_, random) => () =>
  least + (most - least) * random();

const SPIKE: Spread = { floats: spiky(3), wholes: spiky(0.999) };

/** Much larger in magnitude than all others, and mostly of one sign, so that a sum over it has that sign. */
const LOUD: Spread = {
  floats: (_, random, isHalf) => () => (isHalf ? 100 : 1000) * Math.abs(normal(random)) * (random() < 0.8 ? 1 : -1),
  wholes: (_, random) => () => 1 - random() ** 3 / 2 - 1e-9,
};
const NORMAL: Spread = { floats: (_, random) => () => normal(random), wholes: even(0, 1) };
const QUIET: Spread = {
  floats: (_, random) => () => 0.001 * normal(random),
  wholes: (_, random) => () => random() ** 4,
};
const NEGATIVE: Spread = { floats: (_, random) => () => -1 - 0.2 * Math.abs(normal(random)), wholes: even(0.25, 0.75) };
const POSITIVE: Spread = { floats: even(0, 1), wholes: even(0, 1) };

/**
 * Spreads of the compared items, and of the items that take their places as batch-mates. The batch-mates of each item
 * are replaced by items of another magnitude and sign, so an output that depends on the maximum, minimum or sum of a
 * batch changes. The second compared item has by far the largest magnitude; its replacement has the opposite sign.
 */
export const SPREADS = {
  signed: { compared: [NORMAL, LOUD, POSITIVE, NEGATIVE], mates: [QUIET, NEGATIVE, SPIKE, NORMAL] },
  /** For models that take the logarithm of an input, or use it as an index into a table. */
  unit: {
    compared: [POSITIVE, scaled(0.9, 1), scaled(0, 0.01), scaled(0.2, 0.3)],
    mates: [scaled(0, 0.001), scaled(0.1, 0.2), { ...SPIKE, floats: spiky(0.5) }, POSITIVE],
  },
} as const satisfies Record<string, { readonly compared: readonly Spread[]; readonly mates: readonly Spread[] }>;

function scaled(least: number, most: number): Spread {
  return { floats: even(least, most), wholes: even(0, 1) };
}

/** Draws from the standard normal distribution by the Box-Muller transform. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The mulberry32 generator. Mixes the seeds, so that any difference between them gives an unrelated sequence. */
export function randomFrom(...seeds: readonly number[]): Random {
  let state = seeds.reduce(
    (mixed, seed) => Math.imul(mixed ^ (seed + 0x7f4a7c15), 0x9e3779b1) ^ (mixed >>> 15),
    0x2545f491,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
