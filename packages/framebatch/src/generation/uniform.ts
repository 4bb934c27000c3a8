/** The constants of Philox4x32. */
const MULTIPLIERS = [0xd2511f53, 0xcd9e8d57] as const;
const WEYL = [0x9e3779b9, 0xbb67ae85] as const;
const ROUNDS = 10;

type Words = readonly [number, number, number, number];

/**
 * Returns the four words of 32 bits that Philox4x32-10 makes of a counter and a key (Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", 2011). Each call is independent of all others.
 */
export function philox(counter: Words, key: readonly [number, number]): Words {
  let [a, b, c, d] = counter;
  let [first, second] = key;
  for (let round = 0; round < ROUNDS; round++) {
    const [highA, lowA] = product(MULTIPLIERS[0], a);
    const [highC, lowC] = product(MULTIPLIERS[1], c);
    [a, b, c, d] = [(highC ^ b ^ first) >>> 0, lowC, (highA ^ d ^ second) >>> 0, lowA];
    [first, second] = [(first + WEYL[0]) >>> 0, (second + WEYL[1]) >>> 0];
  }
  return [a, b, c, d];
}

/** Returns the upper and the lower 32 bits of a product. */
function product(one: number, other: number): [high: number, low: number] {
  const [oneLow, oneHigh, otherLow, otherHigh] = [one & 0xffff, one >>> 16, other & 0xffff, other >>> 16];
  const low = oneLow * otherLow;
  const middle = oneHigh * otherLow + (low >>> 16);
  const carried = oneLow * otherHigh + (middle % 0x10000);
  const high = oneHigh * otherHigh + Math.floor(middle / 0x10000) + Math.floor(carried / 0x10000);
  return [high >>> 0, Math.imul(one, other) >>> 0];
}

/**
 * Returns a number in [0, 1): the one at `position` of the sequence that `seed` names. It depends on nothing else, so
 * that a sequence goes on from any position.
 * @param seed a whole number from 0 to 2 ** 53 - 1
 * @param position a whole number from 0 to 2 ** 32 - 1
 */
export function uniformAt(seed: number, position: number): number {
  const key = [seed % 2 ** 32, Math.floor(seed / 2 ** 32)] as const;
  const [high, low] = philox([position, 0, 0, 0], key);
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}
