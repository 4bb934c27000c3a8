import type { ModelSignature } from "./model-signature.js";
import type { PaddingPlan } from "./padding-plan.js";
import { dimsFor, planInputs } from "./tensor-plan.js";
import type { InputPlan } from "./tensor-plan.js";
import { volume } from "./tensor-region.js";
import type { TensorElements } from "./tensor.js";

/** A tensor with dims, as callers give them. */
export interface SampleTensor {
  readonly data: TensorElements;
  readonly dims: readonly number[];
}

/**
 * A random item that most models stand, for warm-up and verification. The same seed gives the same item. Numbers are from 0 to
 * 1, whole numbers 0 or 1 (ids that every vocabulary has), masks all ones; dynamic sizes are the smallest bucket, or 8. Inputs
 * that a batch shares are the same for every seed, so that samples may ride together.
 */
export function sampleItem(
  signature: ModelSignature,
  padding: PaddingPlan,
  seed: number,
): Record<string, SampleTensor> {
  const sizes = padding.extents.map(
    ({ buckets, multipleOf }) => buckets?.[0] ?? Math.ceil(8 / multipleOf) * multipleOf,
  );
  const item: Record<string, SampleTensor> = {};
  for (const [index, plan] of planInputs(signature, padding).entries()) {
    const dims = dimsFor(plan, sizes);
    const random = randomFrom(plan.batchAxis === null ? index : seed * 1009 + index);
    item[plan.name] = { dims, data: Array.from({ length: volume(dims) }, () => sampleValue(plan, random)) };
  }
  return item;
}

function sampleValue(plan: InputPlan, random: () => number): number | string {
  const chance = random();
  if (plan.maskValue !== undefined) return 1;
  if (plan.element.type === "string") return chance < 0.5 ? "a" : "b";
  return plan.element.type.startsWith("float") ? chance : Math.round(chance);
}

/** Numbers from 0 to 1, 1 left out, the same for the same seed (Mulberry32, public domain, by Tommy Ettinger). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
