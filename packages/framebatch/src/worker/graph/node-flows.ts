import { acrossAxis, elementwise, normalized, overAll, pictures, recurrent, reduced } from "./axes.js";
import { countedFlow } from "./counted.js";
import type { OnnxNode } from "./onnx-graph.js";
import { classOf, isSizedBy, type OperatorClass } from "./operators.js";
import { productFlow } from "./products.js";
import { joined, selected } from "./selections.js";
import { laidOut } from "./shapes.js";
import { CONTENTS, flowRows, mixedBy, SIZE, UNKNOWN, type Flow, type Known } from "./values.js";

/** The flow of all outputs of a node, or of each. */
export type Flows = Flow | readonly Flow[];

/** Returns the flow of a node's outputs; `undefined` if no input depends on the batch. */
export function flowsOf(node: OnnxNode, known: Known): Flows | undefined {
  const flows = node.inputs.flatMap((input) => known.flows.get(input) ?? []);
  if (flows.length === 0) return undefined;
  const kind = classOf(node.op);
  if (kind === null) return UNKNOWN;
  const mixed = mixedFlow(node, kind, known);
  if (mixed !== null) return mixed;
  const has = (wanted: Flow["kind"]) => flows.some((flow) => flow.kind === wanted);
  if (has("unknown")) return UNKNOWN;
  const counted = countedFlow(node, kind, known);
  if (counted !== null) return counted;
  if (kind === "sizes" || flows.every((flow) => flow.kind === "size")) return SIZE;
  if (has("contents")) return contentsFlow(node, kind);
  if (has("pairs") && kind !== "products") return pairsFlow(node, kind, flows.length);
  return rowsFlow(node, kind, known) ?? CONTENTS;
}

/**
 * Returns the flow of a node with a mixed input; `null` if it has none. Whatever a node makes of such an input, also as a
 * bound, a condition, an index or a size, depends on the batch.
 */
function mixedFlow(node: OnnxNode, kind: OperatorClass, { flows }: Known): Flow | null {
  const all = node.inputs.flatMap((input, place) => {
    const flow = flows.get(input);
    return flow?.kind === "mixed" ? [{ flow, place }] : [];
  });
  const [first] = all;
  if (first === undefined) return null;
  const isSized = all.some(({ flow }) => flow.isSized);
  if (kind === "sizes") return isSized ? first.flow : SIZE;
  return { ...first.flow, isSized: isSized || all.some(({ place }) => isSizedBy(node.op, place)) };
}

/** Returns true if it is not known what an operator of the class makes of items. */
function isUnfollowed(kind: OperatorClass): boolean {
  return kind === "opaque" || kind === "making" || kind === "counting";
}

/** Returns the flow of a node whose input holds contents of items in an unknown layout. */
function contentsFlow(node: OnnxNode, kind: OperatorClass): Flow {
  if (kind === "whole" || (kind === "reducing" && overAll(node))) return mixedBy(node);
  return isUnfollowed(kind) ? UNKNOWN : CONTENTS;
}

/**
 * Returns the flow of a matrix of all pairs of items: a softmax or sum over either dimension works across the batch.
 */
function pairsFlow(node: OnnxNode, kind: OperatorClass, inputs: number): Flow {
  if (kind === "along" || kind === "normalizing" || kind === "reducing" || kind === "whole") return mixedBy(node);
  if (node.op === "Transpose" || (kind === "elementwise" && inputs === 1)) return { kind: "pairs" };
  return contentsFlow(node, kind);
}

/** Returns the flow of a node, all of whose batched inputs have a layout; `undefined` if that of its output is unknown. */
function rowsFlow(node: OnnxNode, kind: OperatorClass, known: Known): Flows | undefined {
  if (kind === "elementwise") return elementwise(node, known);
  if (kind === "products") return productFlow(node, known);
  if (kind === "selecting") return selected(node, known) ?? (isTakenByNumber(node, known) ? UNKNOWN : undefined);
  if (node.op === "Concat" || node.op === "Split") return joined(node, known);
  const first = flowRows(node, 0, known);
  if (isUnfollowed(kind)) return UNKNOWN;
  if (first === undefined) return undefined;
  switch (kind) {
    case "items":
      return first.axis === 0 && first.rank !== 1 ? [{ ...first, rank: null }, ...others(node)] : undefined;
    case "pictures":
      return [pictures(node, first, known) ?? CONTENTS, ...others(node)];
    case "along":
      return acrossAxis(node, first, known);
    case "normalizing":
      return normalized(node, first);
    case "reducing":
      return reduced(node, first, known);
    case "whole":
      return mixedBy(node);
    case "recurrent":
      return recurrent(node, first);
    default:
      return laidOut(node, first, known);
  }
}

/** Returns true if elements are taken at computed places, as in a loop over items: they may be those of one item. */
function isTakenByNumber({ op, inputs }: OnnxNode, { constants }: Known): boolean {
  return /Gather|^Slice$/.test(op) && inputs.slice(1).some((input) => input !== "" && !constants.has(input));
}

/** The layout of outputs after the first may differ from it. */
function others({ outputs }: OnnxNode): Flow[] {
  return outputs.slice(1).map(() => CONTENTS);
}
