import type { BenchInput, BenchModel } from "./models.js";
import { newData, volumeOf, type BenchItem, type BenchTensor } from "./ort/tensors.js";
import type { Random } from "./statistics/random.js";

/** Made before the clock starts. Dense arithmetic takes the same time for any values. */
export function makeItems({ inputs, lengths }: BenchModel, count: number, random: Random): BenchItem[] {
  return Array.from({ length: count }, () => {
    const length = lengths === undefined ? 1 : drawLength(lengths, random);
    return Object.fromEntries(inputs.map((input) => [input.name, makeTensor(input, length, random)]));
  });
}

function drawLength({ least, most }: { readonly least: number; readonly most: number }, random: Random): number {
  return Math.min(most, Math.floor(least * ((most + 1) / least) ** random()));
}

function makeTensor({ type, dims, below }: BenchInput, length: number, random: Random): BenchTensor {
  const sizes = dims.map((size) => size ?? length);
  const element = () => (below === "ones" ? 1 : type === "float32" ? random() * below : Math.floor(random() * below));
  const numbers = Array.from({ length: volumeOf(sizes) }, element);
  const data = newData(type, numbers.length);
  if (data instanceof BigInt64Array) data.set(numbers.map(BigInt));
  else data.set(numbers);
  return { type, dims: sizes, data };
}
