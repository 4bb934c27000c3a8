import type { TokenChoice } from "./generation-messages.js";

/** The score of each token. */
export type Scores = ArrayLike<number> & { [token: number]: number };

type Sampling = NonNullable<TokenChoice["sample"]>;

/**
 * Chooses a token: the one with the highest score, or one drawn by the rules of the text. Of equal scores, the lower
 * token is first. Returns `null` if no score is a number. May change `scores`.
 *
 * As in most libraries, the penalty comes first, then the temperature, `topK` and `topP`.
 * @param seen the tokens of the text so far, for the penalty
 * @param position number of tokens that were chosen before
 */
export function chooseToken(
  scores: Scores,
  { sample, repetitionPenalty }: TokenChoice,
  seen: Iterable<number>,
  position: number,
): number | null {
  if (repetitionPenalty !== 1) penalise(scores, seen, repetitionPenalty);
  const best = bestOf(scores);
  if (best === null || sample === null || scores[best] === Infinity) return best;
  return draw(scores, scores[best]!, sample, uniformAt(sample.seed, position));
}

function penalise(scores: Scores, seen: Iterable<number>, penalty: number): void {
  for (const token of new Set(seen)) {
    const score = scores[token];
    if (score !== undefined) scores[token] = score < 0 ? score * penalty : score / penalty;
  }
}

function bestOf(scores: Scores): number | null {
  let [best, highest] = [-1, -Infinity];
  for (let token = 0; token < scores.length; token++) {
    if (scores[token]! > highest) [best, highest] = [token, scores[token]!];
  }
  return best < 0 ? null : best;
}

/** @param drawn a number in [0, 1) */
function draw(scores: Scores, highest: number, { temperature, topK, topP }: Sampling, drawn: number): number | null {
  const weightOf = (token: number) => weight(scores[token]!, highest, temperature);
  const isWhole = topK >= scores.length && topP >= 1;
  const tokens = isWhole ? allOf(scores) : likeliest(scores, topK, topP, weightOf);
  let left = drawn * sum(tokens, weightOf);
  let last: number | null = null;
  for (const token of tokens) {
    const own = weightOf(token);
    if (own === 0) continue;
    last = token;
    left -= own;
    if (left < 0) break;
  }
  return last;
}

/** The probability of a token as a multiple of that of the likeliest one; 0 for what is no number. */
function weight(score: number, highest: number, temperature: number): number {
  const own = Math.exp((score - highest) / temperature);
  return own > 0 ? own : 0;
}

/** Returns all tokens, as often as they are asked for. */
function allOf({ length }: Scores): Iterable<number> {
  return {
    *[Symbol.iterator]() {
      for (let token = 0; token < length; token++) yield token;
    },
  };
}

function sum(tokens: Iterable<number>, weightOf: (token: number) => number): number {
  let total = 0;
  for (const token of tokens) total += weightOf(token);
  return total;
}

/**
 * Returns the likeliest tokens, first ones first: at most `topK`, and as few as have the probability `topP` among
 * those.
 */
function likeliest(scores: Scores, topK: number, topP: number, weightOf: (token: number) => number): Iterable<number> {
  const heap = new TokenHeap(scores);
  const firstK = topK < scores.length ? Array.from({ length: topK }, () => heap.pop()) : null;
  const enough = topP * sum(firstK ?? allOf(scores), weightOf);
  const tokens: number[] = [];
  for (let [index, had] = [0, 0]; had < enough || index === 0; index++) {
    const token = firstK === null ? heap.pop() : firstK[index];
    if (token === undefined || weightOf(token) === 0) break;
    tokens.push(token);
    had += weightOf(token);
  }
  return tokens;
}

/** Tokens by their scores. A few of many are found without sorting all. */
class TokenHeap {
  readonly #scores: Scores;
  readonly #tokens: Uint32Array;
  #size: number;

  constructor(scores: Scores) {
    this.#scores = scores;
    this.#size = scores.length;
    this.#tokens = new Uint32Array(scores.length);
    // No `from` with a function: for 50,000 tokens it takes 9 ms, as much as a step of a small decoder, and this 0.2.
    for (let token = 0; token < scores.length; token++) this.#tokens[token] = token;
    for (let index = (this.#size >> 1) - 1; index >= 0; index--) this.#sink(index);
  }

  /** Takes the token with the highest score. There must be one. */
  pop(): number {
    const tokens = this.#tokens;
    const first = tokens[0]!;
    this.#size -= 1;
    tokens[0] = tokens[this.#size]!;
    this.#sink(0);
    return first;
  }

  #sink(from: number): void {
    const tokens = this.#tokens;
    for (let index = from; ;) {
      const left = 2 * index + 1;
      if (left >= this.#size) return;
      const right = left + 1;
      const next = right < this.#size && this.#isBefore(tokens[right]!, tokens[left]!) ? right : left;
      if (!this.#isBefore(tokens[next]!, tokens[index]!)) return;
      [tokens[index], tokens[next]] = [tokens[next]!, tokens[index]!];
      index = next;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [left, right] = [this.#rank(one), this.#rank(other)];
    return left > right || (left === right && one < other);
  }

  /** What is no number comes last. */
  #rank(token: number): number {
    const score = this.#scores[token]!;
    return Number.isNaN(score) ? -Infinity : score;
  }
}

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
