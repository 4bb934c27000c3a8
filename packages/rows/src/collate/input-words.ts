import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims, describeValue, isElements, typedArrayClass } from "@framebatch/batcher/errors/description.js";
import { closestName, quoteNames } from "@framebatch/batcher/errors/option-errors.js";
import { describePlan, type InputPlan, refuseInput, unknownNames } from "./input-plan.js";
import { isTensorType } from "../tensor/element-types.js";
import { type TextFault } from "../tensor/tensor.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";

/** The error for an item that is neither a record of inputs nor a tensor that the model accepts by itself. */
export function refuseItem(plans: readonly InputPlan[], item: unknown): FramebatchError {
  const example = plans.map(({ name }) => `${JSON.stringify(name)}: …`).join(", ");
  return new FramebatchError(
    "INVALID_INPUT",
    `item: expected an object of inputs by name, got ${describeValue(item)}; write { ${example} }`,
  );
}

/** The error for an item that throws when it is read: from a getter or a proxy, or because memory ran out. */
export function refuseUnreadable(cause: unknown): FramebatchError {
  const message = cause instanceof Error ? cause.message : describeValue(cause);
  return new FramebatchError(
    "INVALID_INPUT",
    `item: expected inputs that can be read, got an error while reading them: ${message}; see its cause`,
    { cause },
  );
}

export function refuseMissing(plan: InputPlan, item: unknown, plans: readonly InputPlan[]): FramebatchError {
  if (isHandle(item))
    return refuseHandle(plan, item, plans.length === 1 ? "" : `write { "${plan.name}": handle }, and `);
  if (isImage(item)) return refuseInput(plan, describePlan(plan), describeValue(item), CONVERT_IMAGE);
  const others = unknownNames(item, plans);
  const meant = closestName(plan.name, others) ?? others;
  const fix = `the item has ${quoteNames([meant].flat())}: did you mean "${plan.name}"?`;
  return refuseInput(plan, describePlan(plan), "nothing", others.length === 0 ? "add it to the item" : fix);
}

/** The error for a name in an item that the model does not have. */
export function refuseUnknownName(plans: readonly InputPlan[], name: string): FramebatchError {
  const names = plans.map((plan) => plan.name);
  const closest = closestName(name, names);
  const fix = closest === null ? "remove it" : `remove it, or did you mean "${closest}"?`;
  return new FramebatchError(
    "INVALID_INPUT",
    `input "${name}": expected only inputs of the model (${quoteNames(names)}), got an unknown one; ${fix}`,
    { details: { input: name } },
  );
}

export function refuseNoTensor(plan: InputPlan, value: unknown): FramebatchError {
  if (isHandle(value)) return refuseHandle(plan, value);
  const fix =
    value instanceof ArrayBuffer || value instanceof DataView
      ? `view it as new ${plan.element.arrayName}(buffer)`
      : isImage(value)
        ? CONVERT_IMAGE
        : "pass a typed array, an array, or { data, dims }";
  return refuseInput(plan, `a tensor (${describePlan(plan)})`, describeValue(value), fix);
}

export function refuseType(plan: InputPlan, type: unknown): FramebatchError {
  const got = typeof type === "string" ? type : describeValue(type);
  return refuseInput(plan, `type ${plan.element.type}`, got, "convert the data, and leave type out or set it to match");
}

export function refuseDims(plan: InputPlan, dims: unknown): FramebatchError {
  const got = Array.isArray(dims) ? describeDims(dims.map(asSize)) : describeValue(dims);
  const isWithBatch = Array.isArray(dims) && dims.length === plan.dims.length + 1 && dims[plan.batchAxis ?? -1] === 1;
  const fix = isWithBatch ? "leave out the batch axis: dims are the item's own" : "pass dims that fit the model";
  const axis = plan.batchAxis === null && Array.isArray(dims) ? missingAxis(plan.dims, dims) : -1;
  const share = `all items of a batch share this input: if its axis ${axis} is the batch, set batchAxis: { "${plan.name}": ${axis} }`;
  return refuseInput(plan, `dims ${describeDims(plan.dims, plan.symbols)}`, got, axis < 0 ? fix : share);
}

/** Returns the dynamic axis without which an input has the given dims, or -1. */
function missingAxis(dims: InputPlan["dims"], given: readonly unknown[]): number {
  const fits = (size: number | null, axis: number) => size === null || size === given[axis];
  return dims.findIndex((size, axis) => {
    const others = dims.toSpliced(axis, 1);
    return size === null && others.length === given.length && others.every(fits);
  });
}

/** The error for elements without dims, if their number does not determine the dims. */
export function refuseUnknownDims(plan: InputPlan, tensor: unknown): FramebatchError {
  const expected = `dims, as ${describeDims(plan.dims, plan.symbols)} is dynamic in several places`;
  return refuseInput(plan, expected, "only elements", isPixels(tensor) ? CONVERT_IMAGE : "pass { data, dims }");
}

/** @param tensor the tensor as the caller passed it */
export function refuseLength(
  plan: InputPlan,
  elements: ArrayLike<unknown>,
  dims: readonly (number | null)[],
  tensor: unknown,
): FramebatchError {
  const { length } = elements;
  const isDynamic = dims.includes(null);
  const expected = isDynamic ? plan.unitLength : volumeOf(dims.map((size) => size ?? 1));
  const items = length / expected;
  const isList = !isDynamic && plan.batchAxis !== null && Number.isInteger(items) && items > 1;
  const sentence = `${isDynamic ? "a multiple of " : ""}${expected} elements for dims ${describeDims(dims, plan.symbols)}`;
  const [row] = Array.isArray(elements) ? elements : [];
  if (isElements(row)) return refuseInput(plan, sentence, `${length} rows such as ${describeValue(row)}`, flatten(row));
  if (isPixels(tensor) || (dims.length > 1 && items === 4 / 3)) {
    return refuseInput(plan, sentence, `${length}`, `these look like the RGBA pixels of an image: ${CONVERT_IMAGE}`);
  }
  const orPixels = items === 4 ? `; if it is one image in RGBA, ${CONVERT_IMAGE}` : "";
  const fix = isList
    ? `this looks like ${items} items: pass one at a time, or use predictMany${orPixels}`
    : "pass as many as the dims ask for";
  return refuseInput(plan, sentence, String(length), fix);
}

/** What is left of a `DeviceTensor` where its class is not known, or in a copy: a tensor without elements. */
interface HandleLike {
  readonly type: string;
  readonly dims: readonly unknown[];
}

function isHandle(value: unknown): value is HandleLike {
  if (typeof value !== "object" || value === null || "data" in value || !("type" in value && "dims" in value))
    return false;
  return typeof value.type === "string" && isTensorType(value.type) && Array.isArray(value.dims);
}

/** @param first what to do before the rest */
function refuseHandle(plan: InputPlan, { type, dims }: HandleLike, first = ""): FramebatchError {
  const got = `the handle of a tensor on a device (${type} ${describeDims(dims.map(asSize))})`;
  const fix = `${first}give it to a model of its group, or leave its output out of keepOnDevice`;
  return refuseInput(plan, describePlan(plan), got, fix);
}

const CONVERT_IMAGE = "convert it with imageToTensor of framebatch/handlers";

/** Whether a value is an image, or a file that may be one. */
function isImage(value: unknown): boolean {
  return /^an? \w*(Image|Video|Canvas|Blob|File)/.test(describeValue(value));
}

/** Whether a tensor is an image, or pixels as a canvas returns them. */
function isPixels(tensor: unknown): boolean {
  return isImage(tensor) || typedArrayClass(tensor) === "Uint8ClampedArray";
}

/** Returns the remedy for an array of rows. */
function flatten(row: unknown): string {
  return `flatten the array: ${Array.isArray(row) ? "array.flat(Infinity)" : "array.flatMap((row) => [...row])"}`;
}

export function refuseElement(plan: InputPlan, value: unknown, index: number): FramebatchError {
  const fix = isElements(value) ? flatten(value) : "convert it first";
  const expected = `${plan.element.accepts} (${plan.element.type})`;
  return refuseInput(plan, expected, `${describeValue(value)} at index ${index}`, fix);
}

export function refuseText(plan: InputPlan, { expected, got, fix }: TextFault, index: number): FramebatchError {
  return refuseInput(plan, expected, `${got} of the string at index ${index}`, fix);
}

/** @param tensor the tensor as the caller passed it */
export function refuseArrayClass(plan: InputPlan, data: unknown, tensor: unknown): FramebatchError {
  const { type, arrayName } = plan.element;
  const isBig = type === "int64" || type === "uint64";
  const convert = isBig ? `${arrayName}.from(data, BigInt)` : `${arrayName}.from(data, Number)`;
  const cast = type === "string" ? "pass an array of strings" : `convert it: ${convert}`;
  const fix = isImage(tensor) ? CONVERT_IMAGE : cast;
  return refuseInput(plan, `${arrayName} or an array (${type})`, describeValue(data), fix);
}

export function refuseDisagreement(
  plan: InputPlan,
  axis: number,
  size: number,
  other: InputPlan,
  otherSize: number,
): FramebatchError {
  const symbol = plan.symbols[axis] ?? null;
  const dimension = symbol === null ? `dimension ${axis}` : `"${symbol}"`;
  const expected = `size ${otherSize} for ${dimension}, as in input "${other.name}"`;
  return refuseInput(
    plan,
    expected,
    String(size),
    "give both the same size, or export the model with two names if the sizes may differ",
  );
}

export function refuseTooLong(plan: InputPlan, axis: number, size: number, largest: number): FramebatchError {
  const symbol = plan.symbols[axis] ?? null;
  const dimension = symbol === null ? `dimension ${axis}` : `"${symbol}"`;
  return refuseInput(
    plan,
    `at most ${largest} for ${dimension}`,
    String(size),
    "shorten the item, or add a larger bucket to padding",
  );
}

function asSize(size: unknown): number | null {
  return typeof size === "number" ? size : null;
}
