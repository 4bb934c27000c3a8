import { grouped } from "./grouped.js";
import { innerShapeOf } from "./item-shape.js";
import type { BenchItem } from "./tensors.js";

/**
 * Divides items into batches of a size, in order: with sorted items, a batch contains items of similar length. Items whose
 * inner dimensions differ cannot be stacked, and share no batch. The last batch of those that can wraps around to be full.
 */
export function fullBatches(items: readonly BenchItem[], size: number): BenchItem[][] {
  return [...grouped(items, innerShapeOf).values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / size) }, (_, batch) =>
      Array.from({ length: size }, (__, row) => group[(batch * size + row) % group.length]!),
    ),
  );
}
