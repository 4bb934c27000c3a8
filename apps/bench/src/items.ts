import type { BenchInput, BenchModel, Lengths } from "./models.js";
import { newData, volumeOf, type BenchItem, type BenchTensor } from "./ort/tensors.js";
import type { Random } from "./statistics/random.js";

/**
 * Creates the items before the measurement starts. The values are random: dense arithmetic takes the same time for all
 * values.
 */
export function makeItems({ inputs, lengths }: BenchModel, count: number, random: Random): BenchItem[] {
  return Array.from({ length: count }, () => {
    const length = lengths === undefined ? 1 : drawLength(lengths, random);
    return Object.fromEntries(inputs.map((input) => [input.name, makeTensor(input, length, random)]));
  });
}

function drawLength({ least, most, step }: Lengths, random: Random): number {
  const drawn = Math.min(most, Math.floor(least * ((most + step) / least) ** random()));
  return drawn - (drawn % step);
}

function makeTensor({ type, dims, below }: BenchInput, length: number, random: Random): BenchTensor {
  const sizes = dims.map((size) => size ?? length);
  const data = newData(type, volumeOf(sizes));
  for (let index = 0; index < data.length; index++) {
    const element = below === "ones" ? 1 : random() * below;
    if (data instanceof BigInt64Array) data[index] = BigInt(Math.floor(element));
    // Integer arrays drop the fraction.
    else data[index] = element;
  }
  return { type, dims: sizes, data };
}
