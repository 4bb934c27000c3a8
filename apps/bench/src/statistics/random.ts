/** Numbers from 0 (included) to 1 (excluded). */
export type Random = () => number;

/** A generator with 32 bits of state: the same seed gives the same run order, inputs and intervals. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The list in another order, each order being equally likely (Fisher and Yates). */
export function shuffled<Value>(values: readonly Value[], random: Random): Value[] {
  const rest = [...values];
  const order: Value[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return order;
}
