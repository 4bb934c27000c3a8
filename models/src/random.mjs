/**
 * Evenly spread numbers in [-1, 1), the same for the same seed on every machine (xorshift, 32 bits).
 *
 * @param {number} seed any whole number but 0
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
