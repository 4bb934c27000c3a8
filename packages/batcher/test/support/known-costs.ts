import type { CostModelData } from "../../src/cost/cost-model.js";

/** The data of a cost model whose runs of n rows always took `ms(n)`, and of which each shape has run `weight` times. */
export function costs(ms: (size: number) => number, sizes = [1, 2, 4, 8, 16], volume = 1, weight = 16): CostModelData {
  const shapes = sizes.map((size) => {
    return { size, volume, meanVolume: size * volume, meanMs: ms(size), deviationMs: 0, weight };
  });
  return { version: 1, shapes };
}
