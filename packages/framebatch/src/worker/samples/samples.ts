import { Collator } from "../../core/collate/collator.js";
import { FramebatchError } from "../../core/errors.js";
import { volumeOf } from "../../core/shape.js";
import type { ModelSignature } from "../../core/model/signature.js";
import type { PaddingPlan } from "../../core/padding/plan.js";
import type { Row } from "../../core/collate/prepared-item.js";
import { planInputs, type InputPlan } from "../../core/collate/input-plan.js";
import { writable } from "../../core/tensor/writing.js";
import type { Tensor } from "../../core/tensor/tensor.js";
import { itemOfRow } from "./items.js";
import type { Item } from "./made-up-items.js";
import type { TrialFeeds } from "./zero-feeds.js";

/** Items that a check takes at the least. */
const LEAST_ITEMS = 2;

/** The example items that a model's user has given, in place of made-up ones. */
export interface Samples {
  /** Batches of the first sample, and of those of other shapes, in order. */
  readonly shapes: readonly TrialFeeds[];
  /** What a check compares: all samples that may share a batch with the first, and variants of it where that is the only one. */
  readonly items: readonly Item[];
}

/** @throws INVALID_OPTION for a sample that the model does not take */
export function readSamples(
  signature: ModelSignature,
  padding: PaddingPlan,
  given: readonly unknown[],
): Samples | null {
  if (given.length === 0) return null;
  const collator = new Collator(signature, padding);
  const plans = planInputs(signature, padding);
  const rows = given.map((item, index) => admit(collator, item, index));
  const byShape = new Map(rows.toReversed().map((row) => [JSON.stringify(row.shape), row]));
  const [first] = rows;
  const alike = rows.filter(({ shape }) => shape.group === first?.shape.group).map((row) => itemOfRow(plans, row));
  return {
    shapes: [...byShape.values()].toReversed().map((row) => feedsOf(collator, plans, row)),
    items: alike.length < LEAST_ITEMS ? alike.flatMap((item) => [item, ...variantsOf(plans, item)]) : alike,
  };
}

function admit(collator: Collator, item: unknown, index: number): Row {
  try {
    return collator.admit(item);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new FramebatchError("INVALID_OPTION", `samples[${index}]: ${why}`, {
      details: { option: "samples", index },
      cause: thrown,
    });
  }
}

function feedsOf(collator: Collator, plans: readonly InputPlan[], row: Row): TrialFeeds {
  const { extents } = row.shape;
  return {
    extents,
    elements: Object.values(itemOfRow(plans, row)).reduce((sum, { dims }) => sum + volumeOf(dims), 0),
    of: (size) => collator.stack([row], size, extents),
  };
}

/** By how much a variant's elements are turned, as a share of their number, and its floating-point numbers scaled. */
const VARIANTS = [
  { turn: 0.25, scale: -0.5 },
  { turn: 0.5, scale: 0.1 },
  { turn: 0.75, scale: 2 },
];

/** Items of the sample's sizes with the sample's own elements in another order: ids stay within their tables. */
function variantsOf(plans: readonly InputPlan[], item: Item): Item[] {
  return VARIANTS.map(({ turn, scale }) =>
    Object.fromEntries(
      plans.flatMap((plan): [string, Tensor][] => {
        const tensor = item[plan.name];
        if (tensor === undefined) return [];
        const isKept = plan.batchAxis === null || plan.maskValue !== undefined || /mask/i.test(plan.name);
        return [[plan.name, isKept ? tensor : turned(plan, tensor, turn, scale)]];
      }),
    ),
  );
}

function turned({ element }: InputPlan, { type, dims, data }: Tensor, turn: number, scale: number): Tensor {
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
