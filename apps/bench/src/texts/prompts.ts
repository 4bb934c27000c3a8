import { seededRandom } from "../statistics/random.js";

/** The tokens of a prompt. */
export type Prompt = readonly number[];

/** Number of tokens that the decoder knows. */
const VOCABULARY = 8192;

/** Returns the prompts of texts by their numbers. The same number gives the same prompt in each lane. */
export function promptsOf(tokens: number, from: number, count: number, seed: number): Prompt[] {
  return Array.from({ length: count }, (_, index) => {
    const random = seededRandom(seed + 1000 * tokens + from + index);
    return Array.from({ length: tokens }, () => Math.floor(random() * VOCABULARY));
  });
}
