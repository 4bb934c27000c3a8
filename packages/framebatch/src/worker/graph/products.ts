import { acrossBatch, flowRows, UNKNOWN, type Flow, type Known, type Rows } from "./values.js";
import { integerAttribute, type OnnxNode } from "./onnx-graph.js";

/**
 * Returns the flow of a matrix product, which sums over the dimension its operands share; `null` for other operations.
 */
export function productFlow(node: OnnxNode, known: Known): Flow | null {
  if (node.op !== "MatMul" && node.op !== "Gemm") return null;
  const [left, right] = [side(node, 0, "transA", known), side(node, 1, "transB", known)];
  if (left !== undefined && left.axis === lastOf(left, 1)) return acrossBatch(node, left);
  if (right !== undefined && right.axis === lastOf(right, 2)) return acrossBatch(node, right);
  const flows = node.inputs.map((input) => known.flows.get(input)?.kind);
  if (flows.includes("pairs")) return UNKNOWN;
  if (left !== undefined && right !== undefined) return productOfBoth(left, right);
  const kept = left ?? right;
  if (kept === undefined) return UNKNOWN;
  const other = known.constants.get(node.inputs[left === undefined ? 0 : 1] ?? "")?.rank ?? null;
  const isWidest = kept.rank !== null && other !== null && other <= kept.rank;
  return { ...kept, isCertain: kept.isCertain && isWidest };
}

function productOfBoth(left: Rows, right: Rows): Flow {
  const isMatrix = left.rank === 2 && right.rank === 2;
  if (isMatrix && left.axis === 0 && right.axis === 1)
    return left.isCertain && right.isCertain ? { kind: "pairs" } : UNKNOWN;
  const isAligned = left.rank === right.rank && left.axis === right.axis;
  return isAligned ? { ...left, isCertain: left.isCertain && right.isCertain && left.rank !== null } : UNKNOWN;
}

/** Returns the batch of an operand; of its transpose if the node transposes it. */
function side(node: OnnxNode, input: number, turned: string, known: Known): Rows | undefined {
  const rows = flowRows(node, input, known);
  if (rows === undefined || node.op === "MatMul" || integerAttribute(node, turned)?.[0] !== 1) return rows;
  return { ...rows, axis: 1 - rows.axis };
}

/** Returns the dimension `count` from the end; `null` if it is unknown or does not exist. */
function lastOf({ rank }: Rows, count: number): number | null {
  return rank === null || rank < count ? null : rank - count;
}
