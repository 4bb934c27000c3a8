import type { Tensor, TensorData } from "../core/tensor.js";
import type { Outputs } from "./model.js";

/** A copy that shares no memory, since two callers must never find themselves with one buffer. */
export function copyOutputs(outputs: Outputs): Outputs {
  const copies: Record<string, Tensor> = {};
  for (const [name, { type, dims, data }] of Object.entries(outputs)) {
    copies[name] = { type, dims: [...dims], data: copyData(data) };
  }
  return copies;
}

function copyData(data: TensorData): TensorData {
  return data.slice();
}
