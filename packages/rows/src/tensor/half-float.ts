import type { Tensor } from "./tensor.js";

/**
 * Whether the elements of a `float16` tensor are raw bits, as browsers without `Float16Array` give them. Compares
 * names, because the array can come from another realm, such as a frame.
 */
export function areHalfFloatBits(data: unknown): data is Uint16Array<ArrayBuffer> {
  return ArrayBuffer.isView(data) && Reflect.get(data, Symbol.toStringTag) === "Uint16Array";
}

/**
 * Returns the bits of the half-precision number nearest to `value`, with ties to even (IEEE 754), as a `Float16Array`
 * stores it. Rounds only once, directly from double precision, because rounding through single precision would round
 * some values twice.
 */
export function halfFloatBits(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= LARGEST_ROUNDED_DOWN) return sign | 0x7c00;
  if (size < SMALLEST_NORMAL) return sign | roundToEven(size / SMALLEST_SUBNORMAL);
  const exponent = exponentOf(size);
  // Uses addition instead of bitwise or: a significand that rounds up to 2048 carries into the exponent, which is then
  // correct.
  return sign | (((exponent + 14) << 10) + roundToEven(size / 2 ** (exponent - 10)));
}

/** Midpoint between the largest half-precision number, 65504, and the next power of two. */
const LARGEST_ROUNDED_DOWN = 65520;
const SMALLEST_NORMAL = 2 ** -14;
const SMALLEST_SUBNORMAL = 2 ** -24;

/** Returns the integer `e` with `2 ** e <= size < 2 ** (e + 1)`. `Math.log2` may be off by one near powers of two. */
function exponentOf(size: number): number {
  const guess = Math.floor(Math.log2(size));
  if (2 ** guess > size) return guess - 1;
  return 2 ** (guess + 1) <= size ? guess + 1 : guess;
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest > 0.5 ? floor + 1 : floor;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Returns the number that the bits of a half-precision number represent. */
export function halfFloatValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * SMALLEST_NORMAL : (1 + fraction) * 2 ** (exponent - 15));
}

/** The elements of a tensor, as numbers or texts. */
export type Elements = ArrayLike<number | bigint | string>;

/** Returns the elements. Decodes half-precision numbers from bits if the JavaScript engine has no array for them. */
export function elementsOf({ type, data }: Tensor): Elements {
  return type === "float16" && areHalfFloatBits(data) ? Array.from(data, halfFloatValue) : data;
}
