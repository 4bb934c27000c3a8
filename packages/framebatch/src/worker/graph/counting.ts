import { integerAttribute, type OnnxNode } from "./onnx-graph.js";
import { isSizedBy } from "./operators.js";
import { fromFront } from "./shapes.js";
import { described, flowRows, UNKNOWN, type Counted, type Flow, type Known } from "./values.js";

/**
 * Returns the flows of a node whose output has a size that all items decide together, by what they hold; `null` for any
 * other node.
 */
export function counting(node: OnnxNode, known: Known): Flow | readonly Flow[] | null {
  const by = described(node);
  const counted = (axis: number | null, rank: number | null, holds: Counted["holds"] = "items"): Flow => ({
    kind: "counted",
    by,
    axis,
    rank,
    holds,
  });
  switch (node.op) {
    case "NonZero":
      return hasItems(node, 0, known) ? counted(1, 2) : null;
    case "NonMaxSuppression":
      return hasItems(node, 0, known) || hasItems(node, 1, known) ? counted(0, 2) : null;
    case "Unique":
      return hasItems(node, 0, known) ? [along(node, known, counted), counted(0, 1), UNKNOWN, counted(0, 1)] : null;
    case "com.microsoft.Unique":
      return hasItems(node, 0, known) ? [counted(0, 1), UNKNOWN, counted(0, 1)] : null;
    case "Compress":
      return hasItems(node, 1, known) ? along(node, known, counted) : null;
    case "StringSplit":
    case "com.microsoft.Tokenizer": {
      const rows = flowRows(node, 0, known);
      return rows === undefined
        ? null
        : [counted(rows.rank, rows.rank === null ? null : rows.rank + 1, "either"), rows];
    }
    default:
      return isSizedByItems(node, known) ? counted(null, null, "constants") : null;
  }
}

/** A choice of elements along an axis, or of all elements if the node names none. */
function along(
  node: OnnxNode,
  known: Known,
  counted: (axis: number | null, rank: number | null, holds?: Counted["holds"]) => Flow,
): Flow {
  const [axis] = integerAttribute(node, "axis") ?? [];
  if (axis === undefined) return counted(0, 1);
  const rows = flowRows(node, 0, known);
  const rank = rows === undefined ? (known.constants.get(node.inputs[0] ?? "")?.rank ?? null) : rows.rank;
  const place = fromFront(axis, rank);
  return counted(place, rank, rows !== undefined && rows.axis === place ? "items" : "either");
}

function hasItems(node: OnnxNode, input: number, { flows }: Known): boolean {
  const kind = flows.get(node.inputs[input] ?? "")?.kind;
  return kind === "rows" || kind === "contents" || kind === "pairs" || kind === "counted";
}

/** Returns true if what items hold gives the size of a value, and nothing else of it. */
function isSizedByItems(node: OnnxNode, known: Known): boolean {
  const given = node.inputs.flatMap((_, place) => (hasItems(node, place, known) ? [place] : []));
  return given.length > 0 && given.every((place) => isSizedBy(node.op, place));
}
