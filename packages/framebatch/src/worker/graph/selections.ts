import { elementwise, axesOf, fromFront } from "./shapes.js";
import { integerAttribute, type OnnxNode } from "./onnx-graph.js";
import { acrossBatch, flowRows, listOf, type Flow, type Known, type Rows } from "./values.js";

/** Returns the flow of an operation that chooses elements by position; `undefined` if it is unknown. */
export function selected(node: OnnxNode, known: Known): Flow | undefined {
  const data = flowRows(node, 0, known);
  switch (node.op) {
    case "Gather":
      return gathered(node, data, known);
    case "com.microsoft.TorchEmbedding":
      return data === undefined ? lookedUp(node, known) : undefined;
    case "GatherElements":
      return placed(node, data, known, "across");
    case "Scatter":
    case "ScatterElements":
      return placed(node, data, known, "unknown");
    case "GatherND":
    case "com.microsoft.GatherND":
      return gatheredByPath(node, data, known);
    case "OneHot":
      return data === undefined ? undefined : inserted(data, integerAttribute(node, "axis")?.[0] ?? -1);
    case "Slice":
      return data === undefined ? undefined : sliced(node, data, known);
    default:
      return undefined;
  }
}

/** Values that are joined along an axis, or parted along it. */
export function joined(node: OnnxNode, known: Known): Flow | undefined {
  const rows = elementwise(node, known);
  if (rows === undefined) return undefined;
  const place = fromFront(integerAttribute(node, "axis")?.[0] ?? 0, rows.rank);
  return place === rows.axis ? undefined : rows;
}

/** A slice along the batch keeps all rows, or works across the batch because it reverses or shifts them. */
function sliced(node: OnnxNode, rows: Rows, known: Known): Flow | undefined {
  const starts = boundsOf(node, "starts", 1, known);
  const ends = boundsOf(node, "ends", 2, known);
  const axes = axesOf(node, 3, known) ?? starts?.map((_, axis) => axis);
  const places = axes?.map((axis) => fromFront(axis, rows.rank));
  if (places === undefined || places.includes(null)) return undefined;
  const at = places.indexOf(rows.axis);
  if (at < 0) return rows;
  const [start, end] = [starts?.[at], ends?.[at]];
  const step = (node.inputs[4] ?? "") === "" ? 1 : listOf(node, 4, known)?.[at];
  if (start === undefined || end === undefined || step === undefined) return undefined;
  if ((start === 0 || start <= -(2 ** 31)) && end >= 2 ** 31 - 1 && step === 1) return rows;
  return start !== 0 || step < 0 ? acrossBatch(node, rows) : undefined;
}

/** The bounds of a slice are attributes in older versions of the operation and inputs in newer ones. */
function boundsOf(node: OnnxNode, name: string, input: number, known: Known): readonly number[] | null {
  return integerAttribute(node, name) ?? listOf(node, input, known);
}

/**
 * Gathers from a table with the batch as indices, or the same elements from each item. If it gathers from the batch, at
 * constant places or at those that the rows choose, it works across the batch.
 */
function gathered(node: OnnxNode, data: Rows | undefined, known: Known): Flow | undefined {
  const axis = integerAttribute(node, "axis")?.[0] ?? 0;
  if (data === undefined) return axis === 0 ? lookedUp(node, known) : undefined;
  const place = fromFront(axis, data.rank);
  const indices = known.constants.get(node.inputs[1] ?? "");
  const isChosenByRows = flowRows(node, 1, known) !== undefined;
  if (place === data.axis && (indices !== undefined || isChosenByRows)) return acrossBatch(node, data);
  if (place === null || place === data.axis || indices === undefined) return undefined;
  const grown = indices.rank - 1;
  return {
    ...data,
    axis: place < data.axis ? data.axis + grown : data.axis,
    rank: data.rank === null ? null : data.rank + grown,
  };
}

/** Rows of a table, chosen by ids. */
function lookedUp(node: OnnxNode, known: Known): Flow | undefined {
  const ids = flowRows(node, 1, known);
  const table = known.constants.get(node.inputs[0] ?? "");
  if (ids === undefined) return undefined;
  const rank = ids.rank === null || table === undefined ? null : ids.rank + table.rank - 1;
  return { ...ids, rank, isCertain: ids.isCertain && table !== undefined };
}

/** Elements taken or put at places along one axis, which have the layout of the data. */
function placed(node: OnnxNode, data: Rows | undefined, known: Known, alongBatch: "across" | "unknown") {
  if (data === undefined) return undefined;
  const places = flowRows(node, 1, known);
  const axis = fromFront(integerAttribute(node, "axis")?.[0] ?? 0, data.rank);
  if (axis === data.axis) return alongBatch === "across" && places !== undefined ? acrossBatch(node, data) : undefined;
  return axis !== null && places?.axis === data.axis
    ? { ...data, isCertain: data.isCertain && places.isCertain }
    : undefined;
}

/** A gather by paths stays within the items if the batch is among the dimensions that data and paths share. */
function gatheredByPath(node: OnnxNode, data: Rows | undefined, known: Known): Flow | undefined {
  const shared = integerAttribute(node, "batch_dims")?.[0] ?? 0;
  if (data !== undefined && data.axis < shared) return { ...data, rank: null };
  const paths = flowRows(node, 1, known);
  if (data?.axis === 0 && known.constants.has(node.inputs[1] ?? "")) return acrossBatch(node, data);
  if (data !== undefined || paths === undefined || paths.axis + 1 === paths.rank) return undefined;
  return { ...paths, rank: null };
}

/** A new dimension at `axis`, which counts in the output. */
function inserted(rows: Rows, axis: number): Rows | undefined {
  const rank = rows.rank === null ? null : rows.rank + 1;
  const place = fromFront(axis, rank);
  if (place === null) return undefined;
  return { ...rows, rank, axis: place <= rows.axis ? rows.axis + 1 : rows.axis };
}
