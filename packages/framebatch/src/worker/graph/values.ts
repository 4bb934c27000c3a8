import type { Constant, OnnxNode } from "./onnx-graph.js";

/** How the items of a batch lie in a value. */
export interface Rows {
  readonly kind: "rows";
  /** The dimension that is the batch; where `isFolded`, it is a multiple of it, and the elements of one item lie side by side. */
  readonly axis: number;
  readonly isFolded: boolean;
  /** Dimensions of the value; `null` where not known. */
  readonly rank: number | null;
  readonly isFloat: boolean;
  /** Whether this is known, and not merely likely. */
  readonly isCertain: boolean;
}

/**
 * What a value holds of the batch. `size`: how many items there are, and nothing of what they hold. `pairs`: a matrix of every item
 * with every other. `mixed`: each item's part depends on what the others hold; `by` is the node that made it so, for people.
 * A value of no flow depends on no batched input.
 */
export type Flow =
  | Rows
  | { readonly kind: "size" }
  | { readonly kind: "pairs" }
  | { readonly kind: "mixed"; readonly by: string }
  | { readonly kind: "unknown" };

/** What rules look up by the name of a value. */
export interface Known {
  readonly flows: Map<string, Flow>;
  readonly constants: ReadonlyMap<string, Constant>;
}

export const UNKNOWN: Flow = { kind: "unknown" };

/** The batch in one of the inputs; `undefined` where there is none. */
export function rowsIn(node: OnnxNode, input: number, { flows }: Known): Rows | undefined {
  const flow = flows.get(node.inputs[input] ?? "");
  return flow?.kind === "rows" ? flow : undefined;
}

/** The node works across the batch, as far as that is certain. */
export function acrossBatch(node: OnnxNode, rows: Rows): Flow {
  return rows.isCertain && rows.isFloat ? { kind: "mixed", by: describe(node) } : UNKNOWN;
}

/** The node, for people. */
export function describe({ op, name, outputs }: OnnxNode): string {
  return `${op} "${name === "" ? (outputs[0] ?? "") : name}"`;
}
