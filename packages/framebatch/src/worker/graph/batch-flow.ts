import {
  reshape,
  acrossAxis,
  elementwise,
  normalized,
  overAll,
  pictures,
  recurrent,
  reduced,
  laidOut,
} from "./shapes.js";
import { type Flow, type Known, CONTENTS, flowRows, mixedBy, SIZE, UNKNOWN, acrossBatch, type Rows } from "./values.js";
import { type Constant, type OnnxNode, integerAttribute, textAttribute } from "./onnx-graph.js";
import { branchFlows } from "./subgraphs.js";
import { countedFlow } from "./counted.js";
import { classOf, isSizedBy, type OperatorClass } from "./operators.js";
import { joined, selected } from "./selections.js";

export interface BatchFlow {
  readonly flows: ReadonlyMap<string, Flow>;
  /** Shapes that keep the batch where a reshape's literal shape would merge it into one item, by the node's index. */
  readonly shapes: ReadonlyMap<number, readonly number[]>;
}

/**
 * Follows the batch from the inputs through the graph. After an unsupported operation, the batch is unknown.
 *
 * @param nodes in topological order, as ONNX requires
 * @param inputs the values whose flow is known, by name
 */
export function followBatch(
  nodes: readonly OnnxNode[],
  constants: ReadonlyMap<string, Constant>,
  inputs: ReadonlyMap<string, Flow>,
): BatchFlow {
  const known: Known = { flows: new Map(inputs), constants };
  const shapes = new Map<number, readonly number[]>();
  for (const [index, node] of nodes.entries()) {
    const reshaped = node.op === "Reshape" ? reshape(node, known) : null;
    if (reshaped?.shape) shapes.set(index, reshaped.shape);
    const flows = reshaped?.flow ?? branchFlows(node, known, followBatch) ?? flowsOf(node, known);
    for (const [place, output] of node.outputs.entries()) {
      const flow = Array.isArray(flows) ? flows[place] : flows;
      if (flow !== undefined) known.flows.set(output, flow);
    }
  }
  return { flows: known.flows, shapes };
}

/** The flow of all outputs of a node, or of each. */
type Flows = Flow | readonly Flow[];

/** Returns the flow of a node's outputs; `undefined` if no input depends on the batch. */
function flowsOf(node: OnnxNode, known: Known): Flows | undefined {
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
 * Returns the flow of a node with a mixed input; `null` if it has none. Whatever a node makes of such an input, also as
 * a bound, a condition, an index or a size, depends on the batch.
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

/**
 * Returns the flow of a node, all of whose batched inputs have a layout; `undefined` if that of its output is unknown.
 */
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
      return first.axis === 0 && first.rank !== 1 ? [{ ...first, rank: null }, ...otherOutputs(node)] : undefined;
    case "pictures":
      return [pictures(node, first, known) ?? CONTENTS, ...otherOutputs(node)];
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
function otherOutputs({ outputs }: OnnxNode): Flow[] {
  return outputs.slice(1).map(() => CONTENTS);
}

/** The inputs that are operands, where these are not the first two. Packed weights are no operand with axes. */
const OPERANDS: Readonly<Record<string, readonly [left: number, right: number | null]>> = {
  QLinearMatMul: [0, 3],
  "com.microsoft.QGemm": [0, 3],
  "com.microsoft.MatMulBnb4": [0, null],
  "com.microsoft.MatMulFpQ4": [0, null],
  "com.microsoft.MatMulNBits": [0, null],
};

/** Returns the flow of a product, which sums over the dimension its operands share. */
function productFlow(node: OnnxNode, known: Known): Flow {
  if (node.op === "Einsum") return einsumFlow(node, known);
  const [leftInput, rightInput] = OPERANDS[node.op] ?? [0, 1];
  const left = side(node, leftInput, "transA", known);
  const right = rightInput === null ? undefined : side(node, rightInput, "transB", known);
  if (isBatchTurned(node)) return CONTENTS;
  if (left !== undefined && left.axis === lastOf(left, 1)) return acrossBatch(node, left);
  if (right !== undefined && right.axis === lastOf(right, 2)) return acrossBatch(node, right);
  if (node.inputs.some((input) => known.flows.get(input)?.kind === "pairs")) return UNKNOWN;
  if (left !== undefined && right !== undefined) return productOfBoth(left, right);
  const kept = left ?? right;
  if (kept === undefined) return CONTENTS;
  const other = left === undefined ? leftInput : rightInput;
  const otherRank = other === null ? 0 : (known.constants.get(node.inputs[other] ?? "")?.rank ?? null);
  const isWidest = kept.rank !== null && otherRank !== null && otherRank <= kept.rank;
  return { ...kept, isCertain: kept.isCertain && isWidest };
}

function productOfBoth(left: Rows, right: Rows): Flow {
  const isMatrix = left.rank === 2 && right.rank === 2;
  if (isMatrix && left.axis === 0 && right.axis === 1)
    return left.isCertain && right.isCertain ? { kind: "pairs" } : CONTENTS;
  const isAligned = left.rank === right.rank && left.axis === right.axis;
  return isAligned ? { ...left, isCertain: left.isCertain && right.isCertain && left.rank !== null } : CONTENTS;
}

/** Returns the batch of an operand; of its transpose if the node transposes it. */
function side(node: OnnxNode, input: number, turned: string, known: Known): Rows | undefined {
  const rows = flowRows(node, input, known);
  if (rows === undefined || integerAttribute(node, turned)?.[0] !== 1) return rows;
  if (rows.rank === null) return { ...rows, isCertain: false };
  const [row, column] = [rows.rank - 2, rows.rank - 1];
  return { ...rows, axis: rows.axis === row ? column : rows.axis === column ? row : rows.axis };
}

/** Returns true for a product that transposes the dimensions before the last two. */
function isBatchTurned(node: OnnxNode): boolean {
  return ["transBatchA", "transBatchB"].some((name) => integerAttribute(node, name)?.[0] === 1);
}

/** Returns the dimension `count` from the end; `null` if it is unknown or does not exist. */
function lastOf({ rank }: Rows, count: number): number | null {
  return rank === null || rank < count ? null : rank - count;
}

/** An equation names each dimension by a letter, and sums over those that the result does not name. */
function einsumFlow(node: OnnxNode, known: Known): Flow {
  const [terms = "", result] = (textAttribute(node, "equation") ?? "").replaceAll(" ", "").split("->");
  if (result === undefined || terms.includes(".")) return CONTENTS;
  const operands = terms.split(",").map((term, input) => {
    const rows = flowRows(node, input, known);
    return rows === undefined ? [] : [{ rows, letter: term[rows.axis] ?? "" }];
  });
  const given = operands.flat();
  if (
    given.some(({ rows }) => !rows.isCertain) ||
    given.length < node.inputs.filter((input) => known.flows.has(input)).length
  )
    return CONTENTS;
  if (given.some(({ letter }) => !result.includes(letter))) return mixedBy(node);
  const [first, ...more] = [...new Set(given.map(({ letter }) => letter))];
  if (first === undefined) return CONTENTS;
  if (more.length > 0) return result.length === 2 ? { kind: "pairs" } : CONTENTS;
  const isFolded = given.some(({ rows }) => rows.isFolded);
  return { kind: "rows", axis: result.indexOf(first), rank: result.length, isFolded, isCertain: true };
}
