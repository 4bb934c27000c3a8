/** A generator of numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/**
 * Creates a generator with 32 bits of state. The same seed gives the same order, inputs and intervals. Not for
 * cryptography.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the values in random order, each order equally likely (Fisher–Yates). */
export function shuffled<Value>(values: readonly Value[], random: Random): Value[] {
  const rest = [...values];
  const order: Value[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return order;
}
