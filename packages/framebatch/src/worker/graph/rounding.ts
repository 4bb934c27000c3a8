import { integerAttribute, type OnnxNode, readOnnx } from "./onnx-graph.js";

/** Operators that compute with integers in place of floating-point numbers. */
const QUANTIZED = /Quantize|QLinear|Integer|NBits|Bnb4/;
/** ONNX's number of the type float16. */
const FLOAT16 = 10;

/**
 * Returns whether the model rounds its numbers to half precision or to integers on the way, whatever the type of its outputs.
 * Kernels round such numbers at other places, so that right answers differ by percents.
 */
export function roundsCoarsely(model: Uint8Array): boolean {
  try {
    return readOnnx(model).nodes.some((node) => QUANTIZED.test(node.op) || isCastToHalf(node));
  } catch {
    // ONNX Runtime also has a format of its own.
    return false;
  }
}

function isCastToHalf(node: OnnxNode): boolean {
  return node.op === "Cast" && (integerAttribute(node, "to") ?? []).includes(FLOAT16);
}
