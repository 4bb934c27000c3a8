import type { ModelSignature } from "../model/signature.js";
import { checkPaddingEntry, dynamicAxes } from "./checks.js";
import { type Extent, type ExtentWish, joinWishes } from "./extents.js";
import type { PaddingOptions } from "./options.js";
import { type ElementValue, elementOf } from "../tensor/element-types.js";
import type { TensorInfo } from "../tensor/tensor.js";

/** How items of different sizes are brought into one batch. */
export interface PaddingPlan {
  /** Every dynamic size of the items; those that padding can raise come first, in the order of `ItemShape.extents`. */
  readonly extents: readonly Extent[];
  /** How many of `extents` are padded. */
  readonly paddedCount: number;
  /** By input, in the signature's order. */
  readonly inputs: readonly InputPadding[];
  /** Which of `extents` a dimension's name stands for, in inputs and outputs alike. */
  readonly extentBySymbol: ReadonlyMap<string, number>;
}

/** How one input is padded. */
export interface InputPadding {
  /** By axis of the item, the batch axis left out: which of `extents` its size is, -1 for a fixed one. */
  readonly extentOf: readonly number[];
  /** What fills the padded part; `undefined` for what a new tensor holds anyway (zeros, empty strings). */
  readonly value: ElementValue | undefined;
  /** What marks data where the caller leaves this mask out; `undefined` for an input that is no mask. */
  readonly maskValue: ElementValue | undefined;
}

/** `padding` by input name. */
export type PaddingByInput = Readonly<Record<string, PaddingOptions>>;

/**
 * Plans the padding. A size is padded where an entry of `padding` names an input that has it; items that differ in any other
 * size do not share a batch, since not every model gives a padded item the answer that it gives the item alone.
 * @throws `INVALID_OPTION` for an entry that fits no input, or that contradicts another.
 */
export function planPadding(signature: ModelSignature, padding: PaddingByInput = {}): PaddingPlan {
  for (const [name, options] of Object.entries(padding)) checkPaddingEntry(name, options, signature.inputs);
  const sizes = new SharedSizes(signature.inputs, padding);
  const extents = sizes.keys().map((key) => ({ key, extent: joinWishes(sizes.symbolOf(key), sizes.wishesFor(key)) }));
  const ordered = [...extents.filter(isPadded), ...extents.filter((entry) => !isPadded(entry))];
  const indexOf = (key: string) => ordered.findIndex((entry) => entry.key === key);
  return {
    extents: ordered.map(({ extent }) => extent),
    paddedCount: extents.filter(isPadded).length,
    inputs: signature.inputs.map((input) => planInput(input, padding, (axis) => indexOf(sizes.keyOf(input, axis)))),
    extentBySymbol: new Map(sizes.symbols().map((symbol) => [symbol, indexOf(sizes.keyOfSymbol(symbol))])),
  };
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
    value: value === undefined ? undefined : element.parse(value),
    maskValue: isMask ? element.parse(1) : undefined,
  };
}

function optionsOf(padding: PaddingByInput, name: string): PaddingOptions | undefined {
  return Object.hasOwn(padding, name) ? padding[name] : undefined;
}

/**
 * Which dynamic dimensions are one size: those with the same name, and those of a mask and of what it masks (in order, where
 * their names do not tell). Each size has a key.
 */
class SharedSizes {
  readonly #inputs: readonly TensorInfo[];
  readonly #padding: PaddingByInput;
  /** From a mask's own key to the key of the size that it takes over. */
  readonly #aliases = new Map<string, string>();

  constructor(inputs: readonly TensorInfo[], padding: PaddingByInput) {
    this.#inputs = inputs;
    this.#padding = padding;
    for (const input of inputs) {
      const mask = inputs.find(({ name }) => name === optionsOf(padding, input.name)?.mask);
      if (mask !== undefined) this.#joinMask(input, mask);
    }
  }

  /** Each once, in the order of the inputs' dimensions. */
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

  wishesFor(key: string): ExtentWish[] {
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

/** Told apart from the keys of nameless dimensions, which start with a bracket. */
function symbolKey(symbol: string): string {
  return `=${symbol}`;
}
