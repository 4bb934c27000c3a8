import { newData, volumeOf, type BenchData, type BenchItem, type BenchTensor } from "./tensors.js";

/**
 * Stacks items along a new first axis, as an application without framebatch would: padded with zeros to the longest
 * item.
 */
export function stackItems(items: readonly BenchItem[]): Record<string, BenchTensor> {
  return Object.fromEntries(Object.keys(items[0] ?? {}).map((name) => [name, stack(items.map((item) => item[name]!))]));
}

function stack(tensors: readonly BenchTensor[]): BenchTensor {
  const [first] = tensors;
  if (first === undefined) throw new RangeError("Expected items to stack, got none.");
  const longest = Math.max(...tensors.map(({ dims }) => dims[0] ?? 1));
  const dims = first.dims.length === 0 ? [] : [longest, ...first.dims.slice(1)];
  const rowLength = volumeOf(dims);
  const data = newData(first.type, rowLength * tensors.length);
  for (const [row, tensor] of tensors.entries()) write(data, tensor.data, row * rowLength);
  return { type: first.type, dims: [tensors.length, ...dims], data };
}

/** All tensors of an input have the same class. The checks are for TypeScript. */
function write(target: BenchData, source: BenchData, offset: number): void {
  if (target instanceof BigInt64Array) {
    if (source instanceof BigInt64Array) target.set(source, offset);
  } else if (!(source instanceof BigInt64Array)) target.set(source, offset);
}
