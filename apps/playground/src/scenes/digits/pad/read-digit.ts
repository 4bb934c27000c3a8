import { FramebatchError } from "framebatch";

/** The model's prediction for a picture. */
export interface Reading {
  /** 0 to 9. */
  readonly digit: number;
  /** Probability of `digit`, 0 to 1. */
  readonly confidence: number;
  /** The probability of each digit; the index is the digit. */
  readonly probabilities: readonly number[];
}

/**
 * Converts the model's output, one logit per digit, to a prediction.
 * @throws INFERENCE_FAILED when the output does not have 10 values, because the model does not classify digits.
 */
export function toReading(logits: ArrayLike<unknown>): Reading {
  if (logits.length !== 10) {
    throw new FramebatchError(
      "INFERENCE_FAILED",
      `expected an output "logits" with 10 values, got ${logits.length}; use a model that classifies digits`,
    );
  }
  const probabilities = softmax(Array.from(logits, Number));
  const confidence = Math.max(...probabilities);
  return { digit: probabilities.indexOf(confidence), confidence, probabilities };
}

function softmax(logits: readonly number[]): number[] {
  const highest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
