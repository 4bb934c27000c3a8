import type { TensorElements, TensorType } from "framebatch";
import type { InputChoice } from "./input-choice.js";

const WORDS = ["time", "river", "paper", "seven", "green", "window", "music", "stone", "bread", "winter"];

/** Fills the values of each type. Half floats are given as plain numbers; framebatch converts them. */
const FILLERS: Readonly<Record<TensorType, (count: number, next: () => number) => TensorElements>> = {
  float32: (count, next) => filled(new Float32Array(count), next),
  float64: (count, next) => filled(new Float64Array(count), next),
  float16: (count, next) => Array.from({ length: count }, next),
  int8: (count, next) => filled(new Int8Array(count), next),
  int16: (count, next) => filled(new Int16Array(count), next),
  int32: (count, next) => filled(new Int32Array(count), next),
  uint8: (count, next) => filled(new Uint8Array(count), next),
  uint16: (count, next) => filled(new Uint16Array(count), next),
  uint32: (count, next) => filled(new Uint32Array(count), next),
  int64: (count, next) => BigInt64Array.from({ length: count }, () => BigInt(next())),
  uint64: (count, next) => BigUint64Array.from({ length: count }, () => BigInt(next())),
  bool: (count, next) => filled(new Uint8Array(count), next),
  string: (count, next) => Array.from({ length: count }, () => WORDS[next()] ?? ""),
};

/** The least and the greatest value of a type. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

const ANY_NUMBER: Range = { least: -Infinity, most: Infinity };

/** Integers of 64 bits end where numbers of JavaScript are no longer exact. */
const RANGES: Partial<Record<TensorType, Range>> = {
  int8: { least: -(2 ** 7), most: 2 ** 7 - 1 },
  int16: { least: -(2 ** 15), most: 2 ** 15 - 1 },
  int32: { least: -(2 ** 31), most: 2 ** 31 - 1 },
  int64: { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER },
  uint8: { least: 0, most: 2 ** 8 - 1 },
  uint16: { least: 0, most: 2 ** 16 - 1 },
  uint32: { least: 0, most: 2 ** 32 - 1 },
  uint64: { least: 0, most: Number.MAX_SAFE_INTEGER },
  bool: { least: 0, most: 1 },
};

/** The values that fit into a type. */
export function rangeOf(type: TensorType): Range {
  return RANGES[type] ?? ANY_NUMBER;
}

/** About fifty times as fast as `from` with a function, which matters for pictures with many values. */
function filled<Values extends { readonly length: number; [index: number]: number }>(
  values: Values,
  next: () => number,
): Values {
  for (let index = 0; index < values.length; index++) values[index] = next();
  return values;
}

/** Generates `count` values of a type within a range. The same random numbers (from 0 to 1) give the same values. */
export function generateValues(
  type: TensorType,
  count: number,
  { low, high }: Pick<InputChoice, "low" | "high">,
  random: () => number,
): TensorElements {
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  if (type.startsWith("float")) return FILLERS[type](count, () => low + random() * (high - low));
  if (type === "bool") return FILLERS.bool(count, () => between(0, 1));
  if (type === "string") return FILLERS.string(count, () => between(0, WORDS.length - 1));
  return FILLERS[type](count, () => between(Math.ceil(low), Math.floor(high)));
}

/** The visitor's values, or a sentence that explains why they are not valid. */
export type OwnValues =
  | { readonly ok: true; readonly values: TensorElements }
  | { readonly ok: false; readonly problem: string };

/**
 * Parses values separated by commas, spaces or line breaks. Strings are separated by line breaks only. `null` if the
 * text is blank.
 */
export function readOwnValues(type: TensorType, count: number, text: string): OwnValues | null {
  const words = text.trim();
  if (words === "") return null;
  const parts = type === "string" ? words.split("\n") : words.split(/[\s,;[\]]+/).filter((part) => part !== "");
  if (parts.length !== count) {
    return { ok: false, problem: `Expected ${count} ${count === 1 ? "value" : "values"}, got ${parts.length}.` };
  }
  if (type === "string") return { ok: true, values: parts };
  const numbers = parts.map((part) => (part === "true" ? 1 : part === "false" ? 0 : Number(part)));
  const wrong = numbers.findIndex((number) => Number.isNaN(number) || (isWhole(type) && !Number.isInteger(number)));
  if (wrong !== -1)
    return { ok: false, problem: `"${parts[wrong]}" is not ${isWhole(type) ? "an integer" : "a number"}.` };
  const { least, most } = rangeOf(type);
  const beyond = numbers.findIndex((number) => number < least || number > most);
  if (beyond !== -1) return { ok: false, problem: `"${parts[beyond]}" is not within ${least} to ${most}.` };
  return { ok: true, values: fill(type, numbers) };
}

function isWhole(type: TensorType): boolean {
  return !type.startsWith("float");
}

function fill(type: TensorType, numbers: readonly number[]): TensorElements {
  let index = 0;
  return FILLERS[type](numbers.length, () => numbers[index++] ?? 0);
}
