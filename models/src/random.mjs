/**
 * Returns a generator of uniformly distributed numbers in [-1, 1) (32-bit xorshift). The same seed gives the same
 * numbers on every machine.
 *
 * @param {number} seed any integer except 0
 * @returns {() => number}
 */
export function seededRandom(seed) {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  };
}
