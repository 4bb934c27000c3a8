/** Returns random integers of 32 bits, which nobody else can foresee. */
export function randomWords(count: number): Int32Array {
  return crypto.getRandomValues(new Int32Array(count));
}
