import { FramebatchError } from "framebatch";

/** What the model sees in a picture. */
export interface Reading {
  /** 0 to 9. */
  readonly digit: number;
  /** Probability of `digit`, 0 to 1. */
  readonly confidence: number;
  /** By digit. */
  readonly probabilities: readonly number[];
}

/** What the model's answer says: one logit for each digit. @throws INFERENCE_FAILED where it is another model's. */
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
