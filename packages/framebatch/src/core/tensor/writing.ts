import type { TensorData } from "./tensor.js";

/** What may be written to, whatever the array. The writer must bring elements of the array's own kind. */
export interface WritableElements {
  readonly length: number;
  [index: number]: unknown;
}

/** Copies all of `source` into `target` from `offset` on. Both are of one class. */
export function setElements(target: TensorData, source: TensorData, offset: number): void {
  if ("set" in target) {
    const typed: { set(source: ArrayLike<unknown>, offset: number): void } = target;
    typed.set(source, offset);
  } else {
    const elements = writable(target);
    for (let index = 0; index < source.length; index++) elements[offset + index] = source[index];
  }
}

/** `TensorData` promises callers not to write to arrays of strings; their maker may. */
export function writable(target: TensorData): WritableElements {
  return target;
}
