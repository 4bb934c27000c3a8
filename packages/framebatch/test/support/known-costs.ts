import type { CostModelData } from "../../src/core/cost/cost-model.js";

/** The data of a cost model whose runs of n rows always took `ms(n)`. */
export function costs(ms: (size: number) => number, sizes = [1, 2, 4, 8, 16], volume = 1): CostModelData {
  const shapes = sizes.map((size) => {
    return { size, volume, meanVolume: size * volume, meanMs: ms(size), deviationMs: 0, weight: 16 };
  });
  return { version: 1, shapes };
}
