import { languages } from "./labels.mjs";

export { languages };
export { encodeText, MAX_LENGTH as maxTextLength } from "./tokens.mjs";

export function rankLanguages(logits) {
  const scores = Array.from(logits, Number);
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - highest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return languages
    .map((language, index) => ({ language, probability: weights[index] / total }))
    .sort((left, right) => right.probability - left.probability);
}
