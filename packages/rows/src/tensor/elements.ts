import { areHalfFloatBits, halfFloatValue } from "./half-float.js";
import type { Tensor } from "./tensor.js";

/** The elements of a tensor, as numbers or texts. */
export type Elements = ArrayLike<number | bigint | string>;

/** Returns the elements. Decodes half-precision numbers from bits if the JavaScript engine has no array for them. */
export function elementsOf({ type, data }: Tensor): Elements {
  return type === "float16" && areHalfFloatBits(data) ? Array.from(data, halfFloatValue) : data;
}
