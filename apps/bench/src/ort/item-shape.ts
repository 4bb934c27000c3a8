import type { BenchItem } from "./tensors.js";

/** Equal for items that stack without padding. */
export function shapeOf(item: BenchItem): string {
  return shapeFrom(item, 0);
}

/** Equal for items that stack if their first dimension is padded. */
export function innerShapeOf(item: BenchItem): string {
  return shapeFrom(item, 1);
}

function shapeFrom(item: BenchItem, first: number): string {
  return Object.values(item)
    .map(({ dims }) => dims.slice(first).join("x"))
    .join();
}
