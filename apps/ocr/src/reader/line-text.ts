import type { Outputs } from "framebatch";
import type { ReadLine } from "../text/decode.js";

/** A line's text as outputs of a model: `text` and `confidence`, tensors of one element. */
export function toOutputs({ text, confidence }: ReadLine): Outputs {
  return {
    text: { type: "string", dims: [1], data: [text] },
    confidence: { type: "float32", dims: [1], data: Float32Array.of(confidence) },
  };
}

export function fromOutputs(outputs: Outputs): ReadLine {
  const [text, confidence] = [outputs["text"]?.data[0], outputs["confidence"]?.data[0]];
  return { text: String(text ?? ""), confidence: Number(confidence ?? 0) };
}
