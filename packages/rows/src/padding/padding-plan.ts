import type { ModelSignature } from "../model/signature.js";
import { bucketOf, type Extent, type ExtentRequest, mergeExtentRequests } from "./extents.js";
import { type PaddingOptions, DATA_STARTS } from "./padding-options.js";
import { elementOf, type ElementValue } from "../tensor/element-types.js";
import { type TensorInfo, textFault } from "../tensor/tensor.js";
import { describeDims, describeValue } from "@framebatch/batcher/errors/description.js";
import { invalidOption, optionError, quoteNames, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { StateTensor } from "../model/recurrence.js";

/** How items of different sizes are combined into one batch. */
export interface PaddingPlan {
  /** All dynamic sizes of the items. Those that padding can raise come first, in the order of `ItemShape.extents`. */
  readonly extents: readonly Extent[];
  /** Number of `extents` that are padded. */
  readonly paddedCount: number;
  /** One entry per input, in the order of the signature. */
  readonly inputs: readonly InputPadding[];
  /** The index in `extents` for each dimension name, in inputs and outputs. */
  readonly extentBySymbol: ReadonlyMap<string, number>;
}

/** How one input is padded. */
export interface InputPadding {
  /** For each axis of the item, without the batch axis: the index of its size in `extents`, or -1 for a fixed one. */
  readonly extentOf: readonly number[];
  /** Fill value of the padded part; `undefined` for the default of a new tensor (zeros or empty strings). */
  readonly padValue: ElementValue | undefined;
  /** Value that marks data in a mask that the caller leaves out; `undefined` for an input that is not a mask. */
  readonly maskValue: ElementValue | undefined;
}

/** The `padding` option: padding options by input name. */
export type PaddingByInput = Readonly<Record<string, PaddingOptions>>;

/**
 * Plans the padding. A size is padded if an entry of `padding` names an input that has it. Items that differ in another
 * size do not share a batch, because not every model gives the same answer for a padded item as for the item alone.
 * @throws INVALID_OPTION when an entry fits no input or conflicts with another entry.
 */
export function planPadding(signature: ModelSignature, padding: PaddingByInput = {}): PaddingPlan {
  for (const [name, options] of Object.entries(padding)) checkPaddingEntry(name, options, signature.inputs);
  const sizes = new SharedSizes(signature.inputs, padding);
  const extents = sizes
    .keys()
    .map((key) => ({ key, extent: mergeExtentRequests(sizes.symbolOf(key), sizes.wishesFor(key)) }));
  const ordered = [...extents.filter(isPadded), ...extents.filter((entry) => !isPadded(entry))];
  const indexOf = (key: string) => ordered.findIndex((entry) => entry.key === key);
  return {
    extents: ordered.map(({ extent }) => extent),
    paddedCount: extents.filter(isPadded).length,
    inputs: signature.inputs.map((input) => planInput(input, padding, (axis) => indexOf(sizes.keyOf(input, axis)))),
    extentBySymbol: new Map(sizes.symbols().map((symbol) => [symbol, indexOf(sizes.keyOfSymbol(symbol))])),
  };
}

/** Returns the smallest sizes that an item of these sizes can have in a batch. */
export function roundedSizes({ extents }: PaddingPlan, sizes: readonly number[]): readonly number[] {
  return sizes.map((size, index) => bucketOf(extents[index]!, size) ?? size);
}

function isPadded({ extent }: { readonly extent: Extent }): boolean {
  return extent.isPadded;
}

function planInput(input: TensorInfo, padding: PaddingByInput, extentAt: (axis: number) => number): InputPadding {
  const element = elementOf(input.type);
  const value = optionsOf(padding, input.name)?.value;
  const isMask = Object.values(padding).some(({ mask }) => mask === input.name);
  const itemAxes = [...input.dims.keys()].filter((axis) => axis !== input.batchAxis);
  return {
    extentOf: itemAxes.map((axis) => (input.dims[axis] === null ? extentAt(axis) : -1)),
    padValue: value === undefined ? undefined : element.parse(value),
    maskValue: isMask ? element.parse(1) : undefined,
  };
}

function optionsOf(padding: PaddingByInput, name: string): PaddingOptions | undefined {
  return Object.hasOwn(padding, name) ? padding[name] : undefined;
}

/**
 * Determines which dynamic dimensions have the same size: those with the same name, and those of a mask and its input
 * (matched by order if their names differ). Each size has a key.
 */
class SharedSizes {
  readonly #inputs: readonly TensorInfo[];
  readonly #padding: PaddingByInput;
  /** Maps a mask's own key to the key of the size that replaces it. */
  readonly #aliases = new Map<string, string>();

  constructor(inputs: readonly TensorInfo[], padding: PaddingByInput) {
    this.#inputs = inputs;
    this.#padding = padding;
    for (const input of inputs) {
      const mask = inputs.find(({ name }) => name === optionsOf(padding, input.name)?.mask);
      if (mask !== undefined) this.#joinMask(input, mask);
    }
  }

  /** Returns each key once, in the order of the inputs' dimensions. */
  keys(): string[] {
    return [...new Set(this.#inputs.flatMap((input) => dynamicAxes(input).map((axis) => this.keyOf(input, axis))))];
  }

  symbols(): string[] {
    const all = this.#inputs.flatMap((input) => dynamicAxes(input).map((axis) => input.symbols[axis] ?? null));
    return [...new Set(all.filter((symbol) => symbol !== null))];
  }

  keyOf(input: TensorInfo, axis: number): string {
    return this.#resolve(ownKey(input, axis));
  }

  keyOfSymbol(symbol: string): string {
    return this.#resolve(symbolKey(symbol));
  }

  symbolOf(key: string): string | null {
    return this.symbols().find((symbol) => symbolKey(symbol) === key) ?? null;
  }

  wishesFor(key: string): ExtentRequest[] {
    const inputs = this.#inputs.filter((input) => dynamicAxes(input).some((axis) => this.keyOf(input, axis) === key));
    return inputs.flatMap((input) => {
      const options = optionsOf(this.#padding, input.name);
      return options === undefined ? [] : [{ input: input.name, options }];
    });
  }

  #joinMask(input: TensorInfo, mask: TensorInfo): void {
    const keys = new Set(dynamicAxes(input).map((axis) => this.keyOf(input, axis)));
    const maskAxes = dynamicAxes(mask);
    if (maskAxes.every((axis) => keys.has(this.keyOf(mask, axis)))) return;
    for (const [order, axis] of dynamicAxes(input).entries()) {
      const from = this.keyOf(mask, maskAxes[order] ?? 0);
      const to = this.keyOf(input, axis);
      if (from !== to) this.#aliases.set(from, to);
    }
  }

  #resolve(key: string): string {
    const target = this.#aliases.get(key);
    return target === undefined ? key : this.#resolve(target);
  }
}

function ownKey(input: TensorInfo, axis: number): string {
  const symbol = input.symbols[axis] ?? null;
  return symbol === null ? JSON.stringify([input.name, axis]) : symbolKey(symbol);
}

/** The prefix distinguishes it from the keys of unnamed dimensions, which start with a bracket. */
function symbolKey(symbol: string): string {
  return `=${symbol}`;
}

/**
 * Checks one entry of `padding` against the inputs that it names. The types and names of its options were validated
 * before the model was loaded.
 * @throws INVALID_OPTION when the entry does not fit the inputs.
 */
function checkPaddingEntry(name: string, options: PaddingOptions, inputs: readonly TensorInfo[]): void {
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
function dynamicAxes({ dims, batchAxis }: TensorInfo): number[] {
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

/** The padding of what items have. States have no size that padding could change. */
export function paddingWithoutStates(padding: PaddingPlan, states: readonly StateTensor[]): PaddingPlan {
  if (states.length === 0) return padding;
  return { ...padding, inputs: padding.inputs.filter((_, index) => states.every((state) => state.index !== index)) };
}
