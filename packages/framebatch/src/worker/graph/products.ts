import { acrossBatch, CONTENTS, flowRows, mixedBy, UNKNOWN, type Flow, type Known, type Rows } from "./values.js";
import { integerAttribute, textAttribute, type OnnxNode } from "./onnx-graph.js";

/** The inputs that are operands, where these are not the first two. Packed weights are no operand with axes. */
const OPERANDS: Readonly<Record<string, readonly [left: number, right: number | null]>> = {
  QLinearMatMul: [0, 3],
  "com.microsoft.QGemm": [0, 3],
  "com.microsoft.MatMulBnb4": [0, null],
  "com.microsoft.MatMulFpQ4": [0, null],
  "com.microsoft.MatMulNBits": [0, null],
};

/** Returns the flow of a product, which sums over the dimension its operands share. */
export function productFlow(node: OnnxNode, known: Known): Flow {
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
  if (given.some(({ rows }) => !rows.isCertain) || given.length < countFlows(node, known)) return CONTENTS;
  if (given.some(({ letter }) => !result.includes(letter))) return mixedBy(node);
  const [first, ...others] = [...new Set(given.map(({ letter }) => letter))];
  if (first === undefined) return CONTENTS;
  if (others.length > 0) return result.length === 2 ? { kind: "pairs" } : CONTENTS;
  const isFolded = given.some(({ rows }) => rows.isFolded);
  return { kind: "rows", axis: result.indexOf(first), rank: result.length, isFolded, isCertain: true };
}

function countFlows({ inputs }: OnnxNode, { flows }: Known): number {
  return inputs.filter((input) => flows.has(input)).length;
}
