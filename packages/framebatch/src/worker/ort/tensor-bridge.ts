import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-web/wasm";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { isTensorType } from "@framebatch/rows/tensor/element-types.js";
import { type Float16Elements, setOwn, type Tensor, type TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { Runtime } from "./runtime-handover.js";

export function toFeeds(runtime: Runtime, tensors: Readonly<Record<string, Tensor>>): Record<string, OrtTensor> {
  const feeds: Record<string, OrtTensor> = {};
  for (const name of Object.keys(tensors)) {
    const { type, data, dims } = tensors[name]!;
    setOwn(feeds, name, new runtime.Tensor(type, isFloat16(data) ? bitsOf(data) : data, dims));
  }
  return feeds;
}

/**
 * Returns plain tensors that share the outputs' memory, which ONNX Runtime has copied out of its heap and gives up.
 * Without those that stay on the GPU.
 */
export function fromOutputs(outputs: InferenceSession.OnnxValueMapType): Record<string, Tensor> {
  const tensors: Record<string, Tensor> = {};
  for (const name of Object.keys(outputs)) {
    const output = outputs[name]!;
    if (output.location === "gpu-buffer") continue;
    const { type, dims, data } = output;
    if (!isTensorType(type)) throw strangeType(name, type);
    setOwn(tensors, name, { type, dims, data });
  }
  return tensors;
}

function strangeType(name: string, type: string): FramebatchError {
  return new FramebatchError(
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
