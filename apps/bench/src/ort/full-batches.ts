import type { BenchItem } from "./tensors.js";

/**
 * Divides items into batches of a size, in order: with sorted items, a batch contains items of similar length. Items whose
 * inner dimensions differ cannot be stacked, and share no batch. The last batch of those that can wraps around to be full.
 */
export function fullBatches(items: readonly BenchItem[], size: number): BenchItem[][] {
  const groups = new Map<string, BenchItem[]>();
  for (const item of items) {
    const group = groups.get(innerShapeOf(item));
    if (group === undefined) groups.set(innerShapeOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / size) }, (_, batch) =>
      Array.from({ length: size }, (__, row) => group[(batch * size + row) % group.length]!),
    ),
  );
}

/** Returns what padding the first dimension leaves. */
function innerShapeOf(item: BenchItem): string {
  return Object.values(item)
    .map(({ dims }) => dims.slice(1).join("x"))
    .join();
}
