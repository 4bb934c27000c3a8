import { elementsOf } from "@framebatch/rows/tensor/half-float.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";

/** The outputs of one item, by output name. */
export type Answer = Readonly<Record<string, Tensor>>;

/** Returns true if an element may differ by `apart`, which is Infinity if the difference cannot be measured. */
export type Within = (index: number, apart: number) => boolean;

/** Describes the first difference between `got` and `expected` and names its output; `null` if there is none. */
export function difference(expected: Answer, got: Answer, withinOf: (output: string) => Within): string | null {
  for (const [output, tensor] of Object.entries(expected)) {
    const text = tensorDifference(tensor, got[output], withinOf(output));
    if (text !== null) return `output "${output}": ${text}`;
  }
  return null;
}

function tensorDifference(expected: Tensor, got: Tensor | undefined, isWithin: Within): string | null {
  if (got === undefined) return "it is missing";
  if (expected.dims.join() !== got.dims.join()) {
    return `expected dims [${expected.dims.join(", ")}], got [${got.dims.join(", ")}]`;
  }
  const [right, actual] = [elementsOf(expected), elementsOf(got)];
  for (let index = 0; index < right.length; index++) {
    const apart = distance(right[index], actual[index]);
    if (apart === 0 || isWithin(index, apart)) continue;
    return `expected ${String(right[index])}, got ${String(actual[index])}`;
  }
  return null;
}

/** Returns the absolute difference: 0 for equal values and for two NaN, Infinity if it cannot be measured. */
export function distance(one: unknown, other: unknown): number {
  if (one === other || Object.is(one, other)) return 0;
  const apart = typeof one === "number" && typeof other === "number" ? Math.abs(one - other) : Infinity;
  return Number.isNaN(apart) ? Infinity : apart;
}

/** Returns the relative rounding step of the tensor's type; 0 for exact types. */
export function roundingOf({ type }: Tensor): number {
  switch (type) {
    case "float16":
      return 2 ** -10;
    case "float32":
      return 2 ** -23;
    case "float64":
      return 2 ** -52;
    default:
      return 0;
  }
}
