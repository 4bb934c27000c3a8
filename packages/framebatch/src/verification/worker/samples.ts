import { givenIn, type Tensor } from "@framebatch/rows/tensor/tensor.js";
import { Collator } from "@framebatch/rows/collate/collator.js";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { type StateTensor, withoutStates, withStateEntries, zeroStates } from "@framebatch/rows/model/recurrence.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { type PaddingPlan, paddingWithoutStates } from "@framebatch/rows/padding/padding-plan.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { planInputs, type InputPlan, dimsFor } from "@framebatch/rows/collate/input-plan.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import { type GeneratedItem, itemOfRow } from "./items.js";
import type { ElementValue } from "@framebatch/rows/tensor/element-types.js";

/** Minimum number of items in a check. */
const MIN_ITEMS = 2;

/** The user's example items, which replace generated items. */
export interface Samples {
  /** Feeds for the first sample of each shape, in the order of the samples. */
  readonly shapes: readonly TrialFeeds[];
  /**
   * Items for a check: all samples that may share a batch with the first; if it is the only one, also variants of it.
   */
  readonly items: readonly GeneratedItem[];
}

/** A model for which samples are read. Samples have no states: theirs are zeros. */
export interface SampledModel {
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly states: readonly StateTensor[];
}

/**
 * Reads the option `samples`. Returns `null` if there are none.
 *
 * @throws INVALID_OPTION when a sample does not fit the model
 */
export function readSamples({ signature, padding, states }: SampledModel, given: readonly unknown[]): Samples | null {
  if (given.length === 0) return null;
  const collator = new Collator(signature, padding);
  const plans = planInputs(signature, padding);
  const reader = InputReader.for(withoutStates({ signature, states }), paddingWithoutStates(padding, states));
  const zeros = zeroStates(states);
  const rows = given.map((item, index) => {
    const row = admit(reader, item, index);
    return { ...row, data: withStateEntries(row.data, states, zeros) };
  });
  const byShape = new Map(rows.toReversed().map((row) => [JSON.stringify(row.shape), row]));
  const [first] = rows;
  const alike = rows.filter(({ shape }) => shape.group === first?.shape.group).map((row) => itemOfRow(plans, row));
  return {
    shapes: [...byShape.values()].toReversed().map((row) => feedsOf(collator, plans, row)),
    items: alike.length < MIN_ITEMS ? alike.flatMap((item) => [item, ...variantsOf(plans, item)]) : alike,
  };
}

function admit(reader: InputReader, item: unknown, index: number): PreparedItem {
  try {
    return reader.admit(item);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new FramebatchError("INVALID_OPTION", `samples[${index}]: ${why}`, {
      details: { option: "samples", index },
      cause: thrown,
    });
  }
}

function feedsOf(collator: Collator, plans: readonly InputPlan[], row: PreparedItem): TrialFeeds {
  const { extents } = row.shape;
  return {
    extents,
    elements: Object.values(itemOfRow(plans, row)).reduce((sum, { dims }) => sum + volumeOf(dims), 0),
    of: (size) => collator.stack([row], size, extents),
  };
}

/** Variants: `turn` rotates the elements by a share of their number; `scale` multiplies floating-point numbers. */
const VARIANTS = [
  { turn: 0.25, scale: -0.5 },
  { turn: 0.5, scale: 0.1 },
  { turn: 0.75, scale: 2 },
];

/** Returns items of the same sizes with the sample's own elements in another order, so that ids stay in range. */
function variantsOf(plans: readonly InputPlan[], item: GeneratedItem): GeneratedItem[] {
  return VARIANTS.map(({ turn, scale }) =>
    Object.fromEntries(
      plans.flatMap((plan): [string, Tensor][] => {
        const tensor = givenIn(item, plan.name);
        if (tensor === undefined) return [];
        const isKept = plan.batchAxis === null || plan.maskValue !== undefined || /mask/i.test(plan.name);
        return [[plan.name, isKept ? tensor : turnAndScale(plan, tensor, turn, scale)]];
      }),
    ),
  );
}

function turnAndScale({ element }: InputPlan, { type, dims, data }: Tensor, turn: number, scale: number): Tensor {
  const copy = element.create(data.length);
  const elements = writable(copy);
  const by = Math.ceil(turn * data.length);
  const isScaled = type === "float32" || type === "float64";
  for (let index = 0; index < data.length; index++) {
    const value = data[(index + by) % data.length]!;
    elements[index] = isScaled ? scale * Number(value) : value;
  }
  return { type, dims, data: copy };
}

/** Batches of any number of rows, for trials and warm-ups. */
export interface TrialFeeds {
  /** See `ItemShape`: the sizes to which rows are padded. */
  readonly extents: readonly number[];
  /** Number of elements in one row of all inputs. */
  readonly elements: number;
  of(rows: number): Record<string, Tensor>;
}

/** What the elements of feeds are that no user has given. */
export type TrialElement = 0 | 1;

/**
 * Returns feeds for a model that are the same in every element, with masks that mark everything. Strings are empty.
 *
 * @param guess size of dynamic dimensions that have no buckets, rounded up to the dimension's multiple
 * @param bucket index of the bucket that sets the size of other dynamic dimensions, from the smallest; default: 0
 */
export function trialFeeds(
  signature: ModelSignature,
  padding: PaddingPlan,
  guess: number,
  element: TrialElement,
  bucket = 0,
): TrialFeeds {
  const plans = planInputs(signature, padding);
  const sizes = padding.extents.map(
    ({ buckets, multipleOf }) =>
      buckets?.[Math.min(bucket, buckets.length - 1)] ?? Math.ceil(guess / multipleOf) * multipleOf,
  );
  return {
    extents: sizes,
    elements: plans.reduce((sum, plan) => sum + volumeOf(dimsFor(plan, sizes)), 0),
    of: (rows) => Object.fromEntries(plans.map((plan) => [plan.name, constant(plan, sizes, rows, element)])),
  };
}

function constant(plan: InputPlan, sizes: readonly number[], rows: number, element: TrialElement): Tensor {
  const rowDims = dimsFor(plan, sizes);
  const dims = plan.batchAxis === null ? rowDims : rowDims.toSpliced(plan.batchAxis, 0, rows);
  const data = plan.element.create(volumeOf(dims));
  const value = plan.maskValue ?? (element === 0 ? undefined : plan.element.parse(element));
  if (value !== undefined) fill(data, value);
  return { type: plan.element.type, dims, data };
}

function fill(data: Tensor["data"], value: ElementValue): void {
  const elements = writable(data);
  for (let index = 0; index < elements.length; index++) elements[index] = value;
}
