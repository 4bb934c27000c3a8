import type { ItemShape } from "@framebatch/batcher/queue/shape.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { bucketOf } from "../padding/extents.js";
import type { PaddingPlan } from "../padding/padding-plan.js";
import { AbsentTensor, absentDims } from "./absent-tensor.js";
import type { PreparedItem } from "./prepared-item.js";
import type { ElementCheck } from "./input-range.js";
import { type Intake, type MoveBuffer, MovingIntake, takeSnapshot } from "./input-snapshot.js";
import { type InputPlan, dimsFor, planInputs, unknownNames } from "./input-plan.js";
import { hasBatch, type ModelSignature } from "../model/signature.js";
import {
  refuseDisagreement,
  refuseItem,
  refuseMissing,
  refuseTooLong,
  refuseUnknownName,
  refuseUnreadable,
} from "./input-errors.js";
import { givenIn, hasGiven, type TensorData } from "../tensor/tensor.js";
import { Slab } from "../tensor/element-types.js";

const NO_SIZES: readonly number[] = Object.freeze([]);
const UNKNOWN_SIZE = -1;

/** Reads and checks the items of callers, so that a row cannot harm the other rows of its batch. */
export class InputReader {
  /** The plans of the inputs, in the order of the signature. */
  readonly plans: readonly InputPlan[];
  readonly #padding: PaddingPlan;
  /** The inputs that all items of a batch share. */
  readonly #shared: ReadonlySet<InputPlan>;
  /** The input that a single tensor stands for, if only one input is possible; otherwise `null`. */
  readonly #bareInput: InputPlan | null;
  /** The shape of every item, if items do not vary; otherwise `null`. */
  readonly #onlyShape: ItemShape | null;
  /** The only input of a model whose items are arrays of one length that need no check; otherwise `null`. */
  readonly #plainInput: InputPlan | null;
  readonly #slab = new Slab();

  /** @param checks see `planInputs` */
  static for(signature: ModelSignature, padding: PaddingPlan, checks?: readonly (ElementCheck | null)[]): InputReader {
    return new InputReader(planInputs(signature, padding, checks), padding);
  }

  constructor(plans: readonly InputPlan[], padding: PaddingPlan) {
    // Without a batch, nothing is shared: each item is a run of its own.
    const shared = hasBatch(plans) ? plans.filter(({ batchAxis }) => batchAxis === null) : [];
    const required = plans.filter((plan) => !shared.includes(plan) && plan.maskValue === undefined);
    this.plans = plans;
    this.#padding = padding;
    this.#shared = new Set(shared);
    this.#bareInput = required.length === 1 ? (required[0] ?? null) : null;
    const varies = padding.extents.length > 0 || shared.length > 0;
    this.#onlyShape = varies ? null : Object.freeze({ group: "", extents: NO_SIZES });
    const { fixedLength = -1, check, batchAxis = null } = this.#bareInput ?? {};
    const isPlain = !varies && plans.length === 1 && batchAxis !== null && fixedLength >= 0 && check === null;
    this.#plainInput = isPlain ? this.#bareInput : null;
  }

  /**
   * Checks one item and copies its elements, so that the caller may change its arrays afterwards. The item is a record
   * of tensors, or a single tensor if the model needs only one. With `move`, arrays that fill their buffer are moved
   * instead, when the row is taken.
   * @throws INVALID_INPUT when the item does not fit the model. The message names the input, the expected value, the
   * actual value, and the fix.
   */
  admit(item: unknown, move?: MoveBuffer): PreparedItem {
    try {
      if (move === undefined) {
        const plain = this.#plainInput;
        if (plain !== null && this.#onlyShape !== null && ArrayBuffer.isView(item)) {
          const copy = plain.element.copy(item, plain.fixedLength, this.#slab);
          if (copy !== null) return { shape: this.#onlyShape, data: [copy], sizes: NO_SIZES };
        }
        return this.#readItem(item, this.#slab);
      }
      const intake = new MovingIntake(move, this.#slab);
      const row = this.#readItem(item, intake);
      return { ...row, take: () => intake.settle(this.plans, row.data) };
    } catch (thrown) {
      throw thrown instanceof FramebatchError ? thrown : refuseUnreadable(thrown);
    }
  }

  /** Reuses the memory of rows that will not be read again. */
  release(rows: readonly PreparedItem[]): void {
    for (const { data } of rows) this.#slab.release(data);
  }

  #readItem(item: unknown, intake: Intake): PreparedItem {
    const sizes = this.#onlyShape === null ? this.#padding.extents.map(() => UNKNOWN_SIZE) : null;
    const data = this.#isBare(item) ? this.#readBare(item, sizes, intake) : this.#readRecord(item, sizes, intake);
    if (this.#onlyShape !== null) return { shape: this.#onlyShape, data, sizes: NO_SIZES };
    return { shape: this.#shapeOf(data, sizes ?? NO_SIZES), data, sizes: sizes ?? NO_SIZES };
  }

  #isBare(item: unknown): boolean {
    const plan = this.#bareInput;
    if (plan === null || typeof item !== "object" || item === null) return false;
    if (Array.isArray(item) || ArrayBuffer.isView(item)) return true;
    // An input may be named "data". A record with only "data" means the same either way; with "dims" as well, it is a
    // tensor.
    return "data" in item && (plan.name === "data" ? "dims" in item : !hasGiven(item, plan.name));
  }

  #readBare(item: unknown, sizes: number[] | null, intake: Intake): (TensorData | null)[] {
    const tensorOf = (plan: InputPlan) => (plan === this.#bareInput ? item : undefined);
    return this.plans.map((plan) => this.#readInput(plan, tensorOf(plan), item, sizes, intake));
  }

  #readRecord(item: unknown, sizes: number[] | null, intake: Intake): (TensorData | null)[] {
    if (!isItemRecord(item)) throw refuseItem(this.plans, item);
    let given = 0;
    const data = this.plans.map((plan) => {
      const tensor = givenIn(item, plan.name);
      if (tensor !== undefined) given++;
      return this.#readInput(plan, tensor, item, sizes, intake);
    });
    const [unknownName] = countKeys(item) === given ? [] : unknownNames(item, this.plans);
    if (unknownName !== undefined) throw refuseUnknownName(this.plans, unknownName);
    return data;
  }

  #readInput(
    plan: InputPlan,
    tensor: unknown,
    item: unknown,
    sizes: number[] | null,
    intake: Intake,
  ): TensorData | null {
    const data = this.#takeInput(plan, tensor, item, sizes, intake);
    if (data !== null) plan.check?.(plan, data);
    return data;
  }

  #takeInput(
    plan: InputPlan,
    tensor: unknown,
    item: unknown,
    sizes: number[] | null,
    intake: Intake,
  ): TensorData | null {
    if (plan.fixedLength >= 0) {
      const taken = intake.take(plan.element, tensor, plan.fixedLength);
      if (taken !== null) return taken;
    }
    if (tensor === undefined) {
      if (plan.maskValue === undefined) throw refuseMissing(plan, item, this.plans);
      return null;
    }
    const { data, dims } =
      tensor instanceof AbsentTensor
        ? { data: null, dims: absentDims(plan, tensor) }
        : takeSnapshot(plan, tensor, intake);
    if (sizes !== null) for (const [axis, size] of dims.entries()) this.#claimSize(plan, axis, size, sizes);
    return data;
  }

  /** Dimensions with the same size in the model must have the same size in the item. */
  #claimSize(plan: InputPlan, axis: number, size: number, sizes: number[]): void {
    const index = plan.extentOf[axis] ?? -1;
    const claimed = sizes[index];
    if (claimed === undefined) return;
    if (claimed !== UNKNOWN_SIZE && claimed !== size) {
      throw refuseDisagreement(plan, axis, size, this.#claimant(index, plan), claimed);
    }
    sizes[index] = size;
  }

  /**
   * Returns the input that set a size before `plan`. Prefers inputs that are not masks, because a mask may have been
   * left out.
   */
  #claimant(index: number, plan: InputPlan): InputPlan {
    const earlier = this.plans.slice(0, this.plans.indexOf(plan)).filter(({ extentOf }) => extentOf.includes(index));
    return earlier.find(({ maskValue }) => maskValue === undefined) ?? earlier[0] ?? plan;
  }

  #shapeOf(data: readonly (TensorData | null)[], sizes: readonly number[]): ItemShape {
    const { paddedCount } = this.#padding;
    const extents = sizes.map((size, index) => (index < paddedCount ? this.#bucketed(index, size) : size));
    let group = paddedCount === sizes.length ? "" : sizes.slice(paddedCount).join("x");
    for (const [index, plan] of this.plans.entries()) {
      const shared = this.#shared.has(plan) ? (data[index] ?? null) : null;
      if (shared !== null) group += `|${dimsFor(plan, sizes).join("x")}:${elementsKey(shared)}`;
    }
    const isRounded = extents.some((extent, index) => extent !== sizes[index]);
    return isRounded ? { group, extents, ownExtents: sizes } : { group, extents };
  }

  #bucketed(index: number, size: number): number {
    const extent = this.#padding.extents[index];
    const bucket = extent === undefined ? size : bucketOf(extent, size);
    if (bucket !== null) return bucket;
    const [plan] = this.plans.filter(({ extentOf }) => extentOf.includes(index));
    if (plan === undefined) return size;
    throw refuseTooLong(plan, plan.extentOf.indexOf(index), size, extent?.buckets?.at(-1) ?? 0);
  }
}

function isItemRecord(item: unknown): item is Readonly<Record<string, unknown>> {
  return typeof item === "object" && item !== null && !Array.isArray(item) && !ArrayBuffer.isView(item);
}

function countKeys(item: object): number {
  let count = 0;
  for (const _ in item) count++;
  return count;
}

/**
 * Returns the key of the elements of an array. Requires that the data starts at an even byte, as all data that
 * framebatch creates does.
 */
function elementsKey(data: ArrayBufferView | readonly string[]): string {
  if (!ArrayBuffer.isView(data)) return JSON.stringify(data);
  const evenBytes = data.byteLength - (data.byteLength % 2);
  const units = new Uint16Array(data.buffer, data.byteOffset, evenBytes / 2);
  let key = "";
  for (let start = 0; start < units.length; start += CHUNK) {
    // Spread syntax would iterate over the elements, which is ten times slower.
    const characters: string = Reflect.apply(String.fromCharCode, undefined, units.subarray(start, start + CHUNK));
    key += characters;
  }
  if (evenBytes === data.byteLength) return key;
  return key + String.fromCharCode(new Uint8Array(data.buffer, data.byteOffset)[evenBytes] ?? 0);
}

/** Number of arguments per call. Engines limit this number to far more. */
const CHUNK = 4096;
