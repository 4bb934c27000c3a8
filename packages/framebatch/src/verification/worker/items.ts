import { givenIn } from "@framebatch/rows/tensor/record.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { dimsFor, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import { readRegion } from "@framebatch/rows/tensor/region.js";
import type { Tensor, TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { GeneratedItem } from "./generated-items.js";

/** Returns the number of rows in feeds: 1 if no input has a batch axis. */
export function rowsIn({ inputs }: ModelSignature, feeds: Readonly<Record<string, Pick<Tensor, "dims">>>): number {
  const input = inputs.find(({ batchAxis }) => batchAxis !== null);
  return input === undefined ? 1 : (feeds[input.name]?.dims[input.batchAxis ?? 0] ?? 0);
}

/** Returns the item of a row. Shares the row's memory. */
export function itemOfRow(plans: readonly InputPlan[], { data, sizes }: PreparedItem): GeneratedItem {
  const tensors = plans.flatMap((plan, index): [string, Tensor][] => {
    const elements = data[index] ?? null;
    return elements === null
      ? []
      : [[plan.name, { type: plan.element.type, dims: dimsFor(plan, sizes), data: elements }]];
  });
  return Object.fromEntries(tensors);
}

/**
 * Returns the item of feeds whose rows all hold that item, unpadded. Shares memory with the feeds if they have one row.
 */
export function itemOfFeeds(plans: readonly InputPlan[], feeds: Readonly<Record<string, Tensor>>): GeneratedItem {
  const tensors = plans.flatMap((plan): [string, Tensor][] => {
    const tensor = givenIn(feeds, plan.name);
    return tensor === undefined || isFilledMask(plan, tensor.data) ? [] : [[plan.name, firstRow(plan, tensor)]];
  });
  return Object.fromEntries(tensors);
}

function firstRow({ batchAxis }: InputPlan, tensor: Tensor): Tensor {
  const { type, dims, data } = tensor;
  if (batchAxis === null) return tensor;
  const rowDims = dims.toSpliced(batchAxis, 1);
  if (data.length === volumeOf(rowDims)) return { type, dims: rowDims, data };
  const region = { dims, starts: dims.map(() => 0), sizes: dims.with(batchAxis, 1) };
  return { type, dims: rowDims, data: readRegion(data, region) };
}

/** Returns true for a mask that marks everything. Framebatch fills in such a mask if the caller omits it. */
function isFilledMask({ maskValue }: InputPlan, data: TensorData): boolean {
  return maskValue !== undefined && Array.from<unknown>(data).every((element) => element === maskValue);
}
