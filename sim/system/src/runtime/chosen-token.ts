import type { TextSpec } from "../scenario/scenario.js";

/** The constants of Philox4x32. */
const MULTIPLIERS = [0xd2511f53n, 0xcd9e8d57n] as const;
const WEYL = [0x9e3779b9n, 0xbb67ae85n] as const;
const ROUNDS = 10;
const LOW = 0xffffffffn;

/**
 * Returns the token that a text gets after some scores, by the rules of the documentation and none of the product's code. Of equal
 * scores, the lower token is first.
 * @param seen all tokens so far
 * @param position number of tokens after the prompt
 */
export function chosenToken(
  given: Float32Array,
  { sample, repetitionPenalty = 1 }: TextSpec,
  seen: readonly number[],
  position: number,
): number {
  const scores = given.slice();
  for (const token of new Set(seen)) {
    const score = scores[token]!;
    scores[token] = score < 0 ? score * repetitionPenalty : score / repetitionPenalty;
  }
  const order = Array.from(scores.keys()).toSorted((a, b) => scores[b]! - scores[a]! || a - b);
  if (sample === undefined) return order[0]!;
  const { temperature = 1, topK = Infinity, topP = 1, seed } = sample;
  const weightOf = (token: number) => Math.exp((scores[token]! - scores[order[0]!]!) / temperature);
  const sumOf = (tokens: readonly number[]) => tokens.reduce((sum, token) => sum + weightOf(token), 0);
  const likely = order.slice(0, topK);
  const all = sumOf(likely);
  const count =
    topP >= 1 ? likely.length : likely.findIndex((_, index) => sumOf(likely.slice(0, index + 1)) >= topP * all) + 1;
  const kept = likely.slice(0, Math.max(1, count));
  // Where nothing is left out, the tokens stand in the order of their numbers.
  const tokens = topK >= scores.length && topP >= 1 ? kept.toSorted((a, b) => a - b) : kept;
  let left = drawn(seed, position) * sumOf(tokens);
  return tokens.find((token) => (left -= weightOf(token)) < 0) ?? tokens.at(-1)!;
}

/** Returns a number in [0, 1): Philox4x32-10 of a position, with the seed as its key. */
function drawn(seed: number, position: number): number {
  let [a, b, c, d] = [BigInt(position), 0n, 0n, 0n];
  let [one, other] = [BigInt(seed) & LOW, BigInt(seed) >> 32n];
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = [MULTIPLIERS[0] * a, MULTIPLIERS[1] * c];
    [a, b, c, d] = [(second >> 32n) ^ b ^ one, second & LOW, (first >> 32n) ^ d ^ other, first & LOW];
    [one, other] = [(one + WEYL[0]) & LOW, (other + WEYL[1]) & LOW];
  }
  // The upper 53 bits.
  return Number(((a << 32n) | b) >> 11n) / 2 ** 53;
}
