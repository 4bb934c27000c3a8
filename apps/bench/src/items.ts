import type { BenchModel } from "./models.js";
import type { Random } from "./statistics/random.js";

/** One prediction to ask for: the elements of the model's one input. */
export type BenchItem = Readonly<Record<string, Float32Array>>;

/** Made before the clock starts. Values from 0 to 1: dense arithmetic takes the same time for any others. */
export function makeItems(model: BenchModel, count: number, random: Random): BenchItem[] {
  const length = model.dims.reduce((product, size) => product * size, 1);
  return Array.from({ length: count }, () => ({ [model.input]: Float32Array.from({ length }, random) }));
}
