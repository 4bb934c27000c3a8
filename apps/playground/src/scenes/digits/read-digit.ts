import { FramebatchError, type BatchedModel, type PredictOptions } from "framebatch";

/** What the model sees in a picture. */
export interface Reading {
  /** 0 to 9. */
  readonly digit: number;
  /** Probability of `digit`, 0 to 1. */
  readonly confidence: number;
  /** By digit. */
  readonly probabilities: readonly number[];
}

/** Classifies one picture: 28 × 28 values from 0, paper, to 1, ink. */
export async function readDigit(model: BatchedModel, picture: Float32Array, options: PredictOptions): Promise<Reading> {
  const { logits } = await model.predict({ image: picture }, options);
  return toReading(logits?.data ?? []);
}

function toReading(logits: ArrayLike<unknown>): Reading {
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
