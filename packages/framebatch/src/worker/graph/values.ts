import type { Constant, OnnxNode } from "./onnx-graph.js";

/** The layout of a batch's items in a value. */
export interface Rows {
  readonly kind: "rows";
  /** The dimension of the batch. If `isFolded`, its size is a multiple of the batch size, and items stay contiguous. */
  readonly axis: number;
  readonly isFolded: boolean;
  /** Number of dimensions of the value; `null` if unknown. */
  readonly rank: number | null;
  /** True if the layout is certain, false if it is only likely. */
  readonly isCertain: boolean;
}

/**
 * How a value depends on the batch. A value without a flow depends on no batched input.
 *
 * - `rows`: the value contains the items of the batch.
 * - `size`: the value depends only on the number of items, not on their contents.
 * - `pairs`: the value is a matrix of all pairs of items.
 * - `contents`: the value contains what the items hold, in an unknown layout.
 * - `mixed`: the part of each item depends on the other items. `by` is a human-readable description of the node that
 *   causes this. If `isSized`, the size of the value depends on them too.
 * - `unknown`: the dependence cannot be followed.
 */
export type Flow =
  | Rows
  | { readonly kind: "size" }
  | { readonly kind: "pairs" }
  | { readonly kind: "contents" }
  | { readonly kind: "mixed"; readonly by: string; readonly isSized: boolean }
  | { readonly kind: "unknown" };

/** What the rules know about values, by name. */
export interface Known {
  readonly flows: Map<string, Flow>;
  readonly constants: ReadonlyMap<string, Constant>;
}

export const UNKNOWN: Flow = { kind: "unknown" };
export const CONTENTS: Flow = { kind: "contents" };
export const SIZE: Flow = { kind: "size" };

/** Returns the batch of one of the inputs; `undefined` if it has none. */
export function flowRows(node: OnnxNode, input: number, { flows }: Known): Rows | undefined {
  const flow = flows.get(node.inputs[input] ?? "");
  return flow?.kind === "rows" ? flow : undefined;
}

/** Returns the elements of an input that is a short constant list of integers; otherwise `null`. */
export function listOf(node: OnnxNode, input: number, { constants }: Known): readonly number[] | null {
  return constants.get(node.inputs[input] ?? "")?.list ?? null;
}

/** Returns the flow of a node that works across the batch: `mixed` if that is certain. */
export function acrossBatch(node: OnnxNode, rows: Rows): Flow {
  return rows.isCertain ? mixedBy(node) : CONTENTS;
}

export function mixedBy(node: OnnxNode): Flow {
  return { kind: "mixed", by: describeFlow(node), isSized: false };
}

/** Returns a human-readable description of a node. */
function describeFlow({ op, name, outputs }: OnnxNode): string {
  return `${op} "${name === "" ? (outputs[0] ?? "") : name}"`;
}
