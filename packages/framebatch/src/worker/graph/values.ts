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

/** A value whose items decide together how many elements it has, such as the places of all elements that are not 0. */
export interface Counted {
  readonly kind: "counted";
  /** Human-readable description of the node that counts. */
  readonly by: string;
  /** The dimension of that size; `null` if unknown. */
  readonly axis: number | null;
  /** Number of dimensions; `null` if unknown. */
  readonly rank: number | null;
  /** What lies along that dimension: what no item holds, what all items hold, or either. */
  readonly holds: "constants" | "items" | "either";
}

/** The size of such a dimension, or what is computed from it: a number, or a list of numbers. */
export interface Count {
  readonly kind: "count";
  readonly by: string;
  /** The elements of the list that depend on it; `null` for a number, and if all depend on it. */
  readonly places: readonly number[] | null;
  /** Length of the list; `null` if unknown, or for a number. */
  readonly length: number | null;
}

/**
 * How a value depends on the batch. A value without a flow depends on no batched input.
 *
 * - `rows`: the value contains the items of the batch.
 * - `size`: the value depends only on the number of items, not on their contents.
 * - `pairs`: the value is a matrix of all pairs of items.
 * - `counted`, `count`: the items decide together how many elements the value has, or the value is that number.
 * - `contents`: the value contains what the items hold, in an unknown layout.
 * - `mixed`: the part of each item depends on the other items. `by` is a human-readable description of the node that
 *   causes this. If `isSized`, the size of the value depends on them too.
 * - `unknown`: the dependence cannot be followed.
 */
export type Flow =
  | Rows
  | { readonly kind: "size" }
  | { readonly kind: "pairs" }
  | Counted
  | Count
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
  return { kind: "mixed", by: described(node), isSized: false };
}

/** Returns the flow of what depends, by its elements, on a number that the items decide together. */
export function mixedByCount({ by }: Count | Counted): Flow {
  return { kind: "mixed", by, isSized: false };
}

/** Returns a human-readable description of a node. */
export function described({ op, name, outputs }: OnnxNode): string {
  return `${op} "${name === "" ? (outputs[0] ?? "") : name}"`;
}
