import type { TensorData } from "./tensor.js";

/** The writable elements of any array. The writer must use elements of the array's own type. */
export interface WritableElements {
  readonly length: number;
  [index: number]: unknown;
}

/** Copies all of `source` into `target`, starting at `offset`. Both must be of the same class. */
export function setElements(target: TensorData, source: TensorData, offset: number): void {
  if ("set" in target) {
    const typed: { set(source: ArrayLike<unknown>, offset: number): void } = target;
    typed.set(source, offset);
  } else {
    const elements = writable(target);
    for (let index = 0; index < source.length; index++) elements[offset + index] = source[index];
  }
}

/**
 * Allows writes to arrays of strings, which are read-only in `TensorData`. Only the code that created the array may
 * write.
 */
export function writable(target: TensorData): WritableElements {
  return target;
}
