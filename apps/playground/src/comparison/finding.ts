import type { BatchedModel } from "framebatch";
import type { Load } from "../measure/load.js";
import type { Slowness } from "../measure/slowness.js";
import { sharingOf } from "../measure/sharing.js";
import type { Measured } from "./measured.js";

/** Why batching cannot pay, known without a measurement: both ways would run the same single requests. */
export type Cannot =
  /** One caller that waits for each answer. */
  | { readonly why: "lone caller" }
  /** The visitor allows batches of one request only. */
  | { readonly why: "batches of one" }
  /** The model gives different answers in batches; the reason is that of the check. */
  | { readonly why: "mixes"; readonly reason: string }
  /** The file allows one item at a time. */
  | { readonly why: "fixed batch"; readonly reason: string }
  /** The check of batches has not come to a result. */
  | { readonly why: "unchecked"; readonly reason: string };

/** The answer to the question whether batching pays here. */
export type Finding =
  | { readonly kind: "measured"; readonly measured: Measured }
  /** `snippet` is the model's source code without batching; `null` if the load is the reason, and not the model. */
  | { readonly kind: "cannot"; readonly cannot: Cannot; readonly snippet: string | null }
  | { readonly kind: "slow"; readonly slowness: Slowness; readonly callers: number };

/** What the load and the settings alone decide; `null` if nothing. */
export function knownFromLoad({ callers }: Pick<Load, "callers">, maxBatch: number): Cannot | null {
  if (callers === 1) return { why: "lone caller" };
  return maxBatch === 1 ? { why: "batches of one" } : null;
}

/** What the check of the model decides; `null` if it batches. */
export function knownFromModel(model: Pick<BatchedModel, "inputs" | "stats">): Cannot | null {
  const stats = model.stats();
  const sharing = sharingOf(stats);
  if (sharing !== undefined) return knownFromTexts(sharing);
  const { batchCheck, isRebatched } = stats;
  const { outcome, reason } = batchCheck;
  const isFixed = model.inputs.some(({ dims, batchAxis }) => batchAxis !== null && dims[batchAxis] === 1);
  if (isFixed && !isRebatched) return { why: "fixed batch", reason };
  if (outcome === "failed") return { why: "mixes", reason };
  return outcome === "inconclusive" ? { why: "unchecked", reason } : null;
}

/** What was measured with texts. */
function knownFromTexts(sharing: Exclude<ReturnType<typeof sharingOf>, undefined>): Cannot | null {
  if (sharing === "alone")
    return { why: "mixes", reason: "the scores of a text depend on the other texts of its step" };
  return sharing === null ? { why: "unchecked", reason: "not known yet: no two texts have met" } : null;
}
