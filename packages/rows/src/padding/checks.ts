import { DATA_STARTS, type PaddingOptions } from "./options.js";
import { describeDims, describeValue } from "@framebatch/batcher/errors/description.js";
import { elementOf } from "../tensor/element-types.js";
import { quoteNames } from "@framebatch/batcher/errors/names.js";
import { invalidOption, optionError, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import { textFault } from "../tensor/text.js";
import type { TensorInfo } from "../tensor/tensor.js";

/**
 * Checks one entry of `padding` against the inputs that it names. The types and names of its options were validated
 * before the model was loaded.
 * @throws INVALID_OPTION when the entry does not fit the inputs.
 */
export function checkPaddingEntry(name: string, options: PaddingOptions, inputs: readonly TensorInfo[]): void {
  const input = inputs.find((candidate) => candidate.name === name);
  if (input === undefined) throw unknownNameError("padding", "an input", name, namesOf(inputs));
  const path = `padding["${name}"]`;
  if (dynamicAxes(input).length === 0) {
    const described = describeDims(input.dims, input.symbols);
    throw invalidOption(path, `an input with a dynamic size besides the batch, got ${described}; remove this entry`);
  }
  checkSizes(path, options);
  checkValue(path, options, input);
  if (options.mask !== undefined) checkMask(`${path}.mask`, options.mask, input, inputs);
}

/** Returns the axes whose size varies between items, without the batch axis. */
export function dynamicAxes({ dims, batchAxis }: TensorInfo): number[] {
  return [...dims.keys()].filter((axis) => dims[axis] === null && axis !== batchAxis);
}

function checkSizes(path: string, { side, buckets, multipleOf }: PaddingOptions): void {
  const sides = Object.keys(DATA_STARTS);
  if (side !== undefined && !sides.includes(side)) {
    throw optionError(`${path}.side`, sides.map((name) => `"${name}"`).join(" or "), side, "leave it out for right");
  }
  if (buckets !== undefined && !isAscendingList(buckets)) {
    const got = Array.isArray(buckets) ? `[${buckets.map(String).join(", ")}]` : describeValue(buckets);
    throw invalidOption(`${path}.buckets`, `ascending whole numbers from 1, got ${got}; sort them, each once`);
  }
  if (multipleOf !== undefined && !isSize(multipleOf)) {
    throw optionError(`${path}.multipleOf`, "a whole number from 1", multipleOf, "leave it out for 1");
  }
  if (buckets !== undefined && multipleOf !== undefined) {
    throw invalidOption(path, "either buckets or multipleOf, got both; remove one");
  }
}

function isAscendingList(buckets: unknown): boolean {
  if (!Array.isArray(buckets) || buckets.length === 0) return false;
  return buckets.every((size: unknown, index) => isSize(size) && (index === 0 || size > Number(buckets[index - 1])));
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function checkValue(path: string, { value }: PaddingOptions, { type }: TensorInfo): void {
  const element = elementOf(type);
  const fault = type === "string" ? textFault(value) : null;
  if (fault !== null) throw invalidOption(`${path}.value`, `${fault.expected}, got ${fault.got}; ${fault.fix}`);
  if (value === undefined || element.parse(value) !== undefined) return;
  throw optionError(`${path}.value`, `a value for ${type} (${element.accepts})`, value, "leave it out for zeros");
}

function checkMask(path: string, mask: unknown, input: TensorInfo, inputs: readonly TensorInfo[]): void {
  const others = inputs.filter(({ name }) => name !== input.name);
  if (typeof mask !== "string")
    throw optionError(path, "the name of an input", mask, `one of ${quoteNames(namesOf(others))}`);
  const target = others.find(({ name }) => name === mask);
  if (target === undefined) throw unknownNameError(path, "another input", mask, namesOf(others));
  if (elementOf(target.type).parse(1) === undefined) {
    throw invalidOption(path, `an input of numbers or bool, got "${mask}" of type ${target.type}; name another input`);
  }
  const axes = dynamicAxes(target);
  const isSharedSize = axes.every((axis) => hasSymbol(input, target.symbols[axis] ?? null));
  if (target.batchAxis === null || axes.length === 0 || !(isSharedSize || axes.length === dynamicAxes(input).length)) {
    const described = `"${mask}" ${describeDims(target.dims, target.symbols)}`;
    const expected = describeDims(input.dims, input.symbols);
    throw invalidOption(
      path,
      `an input with the batch and the dynamic sizes of ${expected}, got ${described}; name another input`,
    );
  }
}

function hasSymbol(input: TensorInfo, symbol: string | null): boolean {
  return symbol !== null && dynamicAxes(input).some((axis) => input.symbols[axis] === symbol);
}

function namesOf(inputs: readonly TensorInfo[]): string[] {
  return inputs.map(({ name }) => name);
}
