import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-web/wasm";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { isTensorType } from "@framebatch/rows/tensor/element-types.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import type { Float16Elements, Tensor, TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { Runtime } from "./runtime-handover.js";

export function toFeeds(runtime: Runtime, tensors: Readonly<Record<string, Tensor>>): Record<string, OrtTensor> {
  const feeds: Record<string, OrtTensor> = {};
  for (const [name, { type, data, dims }] of Object.entries(tensors)) {
    setOwn(feeds, name, new runtime.Tensor(type, isFloat16(data) ? bitsOf(data) : data, dims));
  }
  return feeds;
}

/**
 * Returns plain tensors that share the outputs' memory, which ONNX Runtime has copied out of its heap and gives up. Without
 * those that stay on the GPU.
 */
export function fromOutputs(outputs: InferenceSession.OnnxValueMapType): Record<string, Tensor> {
  const tensors: Record<string, Tensor> = {};
  for (const [name, output] of Object.entries(outputs))
    if (output.location !== "gpu-buffer") setOwn(tensors, name, fromOutput(name, output));
  return tensors;
}

function fromOutput(name: string, { type, data, dims }: OrtTensor): Tensor {
  if (isTensorType(type)) return { type, dims, data };
  throw new FramebatchError(
    "INFERENCE_FAILED",
    `expected the output ${name} to have a type that JavaScript has an array for, got ${type}; export the model with another one`,
  );
}

/** In every JavaScript engine, ONNX Runtime accepts half floats as bits; its types allow nothing else. */
function bitsOf({ buffer, byteOffset, length }: Float16Elements): Uint16Array {
  return new Uint16Array(buffer, byteOffset, length);
}

function isFloat16(data: TensorData): data is Float16Elements {
  return Symbol.toStringTag in data && data[Symbol.toStringTag] === "Float16Array";
}
