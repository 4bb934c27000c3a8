import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import type { TensorData, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { elementsOf } from "@framebatch/rows/tensor/half-float.js";
import { randomFrom, isMask } from "./generated-items.js";

/** Maximum change of an element, as a share of it. Outputs then change by far more than by rounding alone. */
const SHARES: Readonly<Partial<Record<TensorInfo["type"], number>>> = {
  float16: 2 ** -8,
  float32: 2 ** -14,
  float64: 2 ** -14,
};

/** Returns true if the input has last bits to move. Masks have none: their values are exact. */
export function hasLastBits({ name, type, batchAxis }: TensorInfo): boolean {
  return type in SHARES && batchAxis !== null && !isMask(name);
}

/** Returns the row with the last bits of its floating-point elements moved away from 0, each by another amount. */
export function moveLastBits(row: PreparedItem, { inputs }: ModelSignature, seed: number): PreparedItem {
  const data = row.data.map((elements, input) => {
    const info = inputs[input];
    return elements === null || info === undefined || !hasLastBits(info)
      ? elements
      : moveElements(elements, info, seed);
  });
  return { ...row, data };
}

function moveElements(data: TensorData, { type }: TensorInfo, seed: number): TensorData {
  const share = SHARES[type];
  if (share === undefined) return data;
  const element = elementOf(type);
  const random = randomFrom(seed);
  const elements = elementsOf({ type, data, dims: [] });
  const copy = element.create(elements.length);
  const target = writable(copy);
  for (let index = 0; index < elements.length; index++) {
    target[index] = element.parse(Number(elements[index]) * (1 + share * random()));
  }
  return copy;
}
