import { isElements, typedArrayClass } from "@framebatch/batcher/errors/description.js";
import { type InputPlan, refuseDetached } from "./input-plan.js";
import {
  refuseArrayClass,
  refuseDims,
  refuseElement,
  refuseLength,
  refuseNoTensor,
  refuseText,
  refuseType,
  refuseUnknownDims,
} from "./input-errors.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { type TensorElement } from "../tensor/element-types.js";
import { type TensorData, textFault } from "../tensor/tensor.js";
import { writable } from "../tensor/writing.js";
import { isDetached, ownsBuffer } from "./sent-rows.js";

/** The checked elements of a tensor, and their dims. */
interface Snapshot {
  readonly data: TensorData;
  readonly dims: readonly number[];
}

/**
 * The properties of a caller's tensor. Each is read only once, because a second read could return a different value.
 */
interface Parts {
  readonly elements: ArrayLike<unknown>;
  readonly dims: unknown;
  readonly type: unknown;
}

/**
 * Reads a caller's tensor for an input, in any of the accepted forms.
 * @throws INVALID_INPUT when it is not a tensor or does not fit the input.
 */
export function takeSnapshot(plan: InputPlan, tensor: unknown, intake: Intake): Snapshot {
  const { elements, dims, type } = partsOf(plan, tensor);
  if (type !== undefined && type !== plan.element.type) throw refuseType(plan, type);
  if (isDetached(elements)) throw refuseDetached(plan, elements);
  const ownDims = dims === undefined ? deduceDims(plan, elements, tensor) : checkDims(plan, dims);
  const length = volumeOf(ownDims);
  if (elements.length !== length) throw refuseLength(plan, elements, ownDims, tensor);
  return { data: convert(plan, elements, length, intake, tensor), dims: ownDims };
}

function partsOf(plan: InputPlan, tensor: unknown): Parts {
  if (isElements(tensor)) return { elements: tensor, dims: undefined, type: undefined };
  if (typeof tensor !== "object" || tensor === null || !("data" in tensor)) throw refuseNoTensor(plan, tensor);
  const data = tensor.data;
  if (!isElements(data)) throw refuseNoTensor(plan, data);
  return {
    elements: data,
    dims: "dims" in tensor ? tensor.dims : undefined,
    type: "type" in tensor ? tensor.type : undefined,
  };
}

/** Returns the dims of an item's tensor. @throws INVALID_INPUT when they do not fit the input */
export function checkDims(plan: InputPlan, dims: unknown): number[] {
  if (!Array.isArray(dims) || dims.length !== plan.dims.length) throw refuseDims(plan, dims);
  return plan.dims.map((fixed, axis) => {
    const size: unknown = dims[axis];
    const isSize = typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
    if (!isSize || size !== (fixed ?? size)) throw refuseDims(plan, dims);
    return size;
  });
}

function deduceDims(plan: InputPlan, elements: ArrayLike<unknown>, tensor: unknown): number[] {
  const dynamicCount = plan.dims.filter((size) => size === null).length;
  if (dynamicCount > 1) throw refuseUnknownDims(plan, tensor);
  if (dynamicCount === 0) return plan.dims.map(Number);
  const size = elements.length / plan.unitLength;
  if (!Number.isSafeInteger(size)) throw refuseLength(plan, elements, plan.dims, tensor);
  return plan.dims.map((fixed) => fixed ?? size);
}

function convert(
  plan: InputPlan,
  elements: ArrayLike<unknown>,
  length: number,
  intake: Intake,
  tensor: unknown,
): TensorData {
  const taken = intake.take(plan.element, elements, length);
  if (taken !== null) return taken;
  const className = typedArrayClass(elements);
  if (className !== undefined && className !== plan.element.arrayName) throw refuseArrayClass(plan, elements, tensor);
  const parsed = parseAll(plan, elements, length);
  if (plan.element.type === "string") checkTexts(plan, parsed);
  return parsed;
}

function checkTexts(plan: InputPlan, texts: TensorData): void {
  for (let index = 0; index < texts.length; index++) {
    const fault = textFault(texts[index]);
    if (fault !== null) throw refuseText(plan, fault, index);
  }
}

function parseAll(plan: InputPlan, elements: ArrayLike<unknown>, length: number): TensorData {
  const data = plan.element.create(length);
  const target = writable(data);
  for (let index = 0; index < length; index++) {
    const element = elements[index];
    const parsed = plan.element.parse(element);
    if (parsed === undefined) throw refuseElement(plan, element, index);
    target[index] = parsed;
  }
  return data;
}

/** Transfers the elements of callers' arrays into memory that framebatch owns. A `Slab` copies them. */
export interface Intake {
  /**
   * Returns the elements in owned memory if `source` is an array of this type with `length` elements, otherwise `null`.
   */
  take(element: TensorElement, source: unknown, length: number): TensorData | null;
}

/** Moves the contents of a buffer to a new buffer and detaches the old one. May throw if the buffer cannot be moved. */
export type MoveBuffer = (buffer: ArrayBuffer) => ArrayBuffer;

/**
 * Moves arrays that fill their buffer, and copies others. Until `settle`, moved arrays still belong to the caller, so
 * that an item which is refused loses nothing.
 */
export class MovingIntake implements Intake {
  readonly #move: MoveBuffer;
  readonly #copying: Intake;
  #isSettled = false;

  constructor(move: MoveBuffer, copying: Intake) {
    this.#move = move;
    this.#copying = copying;
  }

  take(element: TensorElement, source: unknown, length: number): TensorData | null {
    const view = element.view(source, length);
    return view !== null && ownsBuffer(view) ? view : this.#copying.take(element, source, length);
  }

  /**
   * Takes ownership of an item's arrays, once it is accepted. A buffer that several inputs share is copied. Does
   * nothing when called again.
   * @throws INVALID_INPUT when the caller has given an array away meanwhile. Then it moves none
   */
  settle(plans: readonly InputPlan[], data: (TensorData | null)[]): void {
    if (this.#isSettled) return;
    for (const [index, plan] of plans.entries()) {
      const elements = data[index] ?? null;
      if (elements !== null && isDetached(elements)) throw refuseDetached(plan, elements);
    }
    this.#isSettled = true;
    const buffers = data.map((elements) => (ownsBuffer(elements) ? elements.buffer : null));
    for (const [index, plan] of plans.entries()) {
      const [elements, buffer] = [data[index] ?? null, buffers[index] ?? null];
      if (elements === null || buffer === null) continue;
      const isShared = buffers.indexOf(buffer) !== buffers.lastIndexOf(buffer);
      data[index] = isShared ? this.#copying.take(plan.element, elements, elements.length) : this.#moved(plan, buffer);
    }
  }

  /** Some buffers cannot be moved, such as WebAssembly memory. Those are copied. */
  #moved({ element }: InputPlan, buffer: ArrayBuffer): TensorData {
    try {
      return element.over(this.#move(buffer));
    } catch {
      return element.over(buffer.slice(0));
    }
  }
}
