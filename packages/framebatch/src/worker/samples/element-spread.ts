/** Numbers in [0, 1). */
export type Random = () => number;

/** The elements of one tensor, one after the other. */
type Fill = (length: number, random: Random, isHalf: boolean) => (index: number) => number;

/** How the elements of a made-up tensor are spread: floating ones, and whole ones as a share of their range in [0, 1). */
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

/** Mostly of one sign, so that what is summed over it has that sign, and far louder than all others. */
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
 * Spreads of the items that are compared, and of those that take their places as batch-mates. Whatever two share a batch at
 * first, others of another loudness and sign do next: an answer that depends on the largest, the least or the sum of a batch
 * changes. The second compared item is louder than all else by far, and its stand-in has the opposite sign.
 */
export const SPREADS = {
  signed: { compared: [NORMAL, LOUD, POSITIVE, NEGATIVE], mates: [QUIET, NEGATIVE, SPIKE, NORMAL] },
  /** For models that take the logarithm of an input, or look a table up by it. */
  unit: {
    compared: [POSITIVE, scaled(0.9, 1), scaled(0, 0.01), scaled(0.2, 0.3)],
    mates: [scaled(0, 0.001), scaled(0.1, 0.2), { ...SPIKE, floats: spiky(0.5) }, POSITIVE],
  },
} as const satisfies Record<string, { readonly compared: readonly Spread[]; readonly mates: readonly Spread[] }>;

function scaled(least: number, most: number): Spread {
  return { floats: even(least, most), wholes: even(0, 1) };
}

/** From the normal distribution, by Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The mulberry32 generator. Seeds that differ in anything start far apart. */
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
