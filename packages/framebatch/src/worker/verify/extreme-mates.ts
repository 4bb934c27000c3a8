import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { TensorData, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import { elementsOf } from "@framebatch/rows/tensor/half-float.js";
import { hasLastBits } from "./last-bits.js";

/** Factors of floating-point elements, so that real items of one loudness show what depends on the loudness of others. */
const FACTORS = [1000, 0.001, -30, 1] as const;

/** Returns the rows with their floating-point elements much larger, smaller or of the other sign, each in its own way. */
export function extremeMates(rows: readonly PreparedItem[], signature: ModelSignature): readonly PreparedItem[] {
  return rows.map((row, place) => scaled(row, signature, FACTORS[place % FACTORS.length] ?? 1));
}

function scaled(row: PreparedItem, { inputs }: ModelSignature, factor: number): PreparedItem {
  const data = row.data.map((elements, input) => {
    const info = inputs[input];
    const isKept = elements === null || info === undefined || !hasLastBits(info);
    return isKept ? elements : multiplied(elements, info, factor);
  });
  return { ...row, data };
}

function multiplied(data: TensorData, { type }: TensorInfo, factor: number): TensorData {
  const element = elementOf(type);
  const elements = elementsOf({ type, data, dims: [] });
  const copy = element.create(elements.length);
  const target = writable(copy);
  for (let index = 0; index < elements.length; index++) target[index] = element.parse(Number(elements[index]) * factor);
  return copy;
}
