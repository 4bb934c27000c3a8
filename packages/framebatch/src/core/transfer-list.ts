import type { Tensor } from "./tensor.js";

/** The buffers that move with these tensors to another thread, each once. Arrays of strings are copied instead. */
export function transferList(tensors: Readonly<Record<string, Tensor>>): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { data } of Object.values(tensors)) {
    if ("buffer" in data && data.buffer instanceof ArrayBuffer) buffers.add(data.buffer);
  }
  return [...buffers];
}
