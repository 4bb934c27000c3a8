import { ofCount, sizeOfCounted } from "./counts.js";
import { integerAttribute, type OnnxNode } from "./onnx-graph.js";
import { type OperatorClass, isSizedBy } from "./operators.js";
import { overAll, axesOf, fromFront } from "./shapes.js";
import {
  flowRows,
  listOf,
  mixedByCount,
  UNKNOWN,
  type Count,
  type Counted,
  type Flow,
  type Known,
  described,
} from "./values.js";

/**
 * Returns the flows of a node that counts, or that has an input of which all items together decide how many elements it
 * has, or such a number; `null` for any other node. What is not certain is unknown: a model may put what it counted
 * back where it came from.
 */
export function countedFlow(node: OnnxNode, kind: OperatorClass, known: Known): Flow | readonly Flow[] | null {
  const flows = node.inputs.flatMap((input) => known.flows.get(input) ?? []);
  const counts = flows.filter((flow): flow is Count => flow.kind === "count");
  const values = flows.filter((flow): flow is Counted => flow.kind === "counted");
  if (counts.length > 0) return values.length > 0 ? UNKNOWN : ofCount(node, kind, counts, known);
  const found = counting(node, known);
  const [first] = values;
  if (found !== null || first === undefined) return found;
  return ofCounted(node, kind, first, known) ?? UNKNOWN;
}

/** Returns the flow of a node with a counted input; `undefined` if it is not known. */
function ofCounted(node: OnnxNode, kind: OperatorClass, value: Counted, known: Known): Flow | undefined {
  if (kind === "sizes" || node.op === "SequenceLength") return sizeOfCounted(node, value);
  if (kind === "elementwise") return isAlone(node, known) ? value : undefined;
  if (node.op === "Gather" || node.op === "GatherND") return chosenBy(node, value, known);
  if (known.flows.get(node.inputs[0] ?? "") !== value) return undefined;
  if (kind === "reducing") return reduced(node, value, known);
  if (value.axis === null) return undefined;
  const moved = { ...value, axis: value.axis };
  switch (node.op) {
    case "Transpose":
      return transposed(node, moved);
    case "Squeeze":
      return without(moved, axesOf(node, 1, known));
    case "Unsqueeze":
      return unsqueezed(moved, axesOf(node, 1, known));
    case "Slice":
      return sliced(node, moved, known);
    case "SplitToSequence":
      return isSplitAt(node, moved) ? { ...value, axis: null, rank: null } : undefined;
    case "Reshape":
      return listOf(node, 1, known)?.join() === "-1" ? { ...value, axis: 0, rank: 1 } : undefined;
    default:
      return undefined;
  }
}

type Placed = Counted & { readonly axis: number };

/** Returns true if all other operands are single constants. Others may mark which element belongs to which item. */
function isAlone({ inputs }: OnnxNode, { flows, constants }: Known): boolean {
  const given = inputs.filter((input) => input !== "");
  const [first, ...others] = given.filter((input) => flows.has(input));
  const isSame = others.every((input) => flows.get(input) === flows.get(first ?? ""));
  return isSame && given.every((input) => flows.has(input) || constants.get(input)?.rank === 0);
}

/** A sum over all that was counted depends on all items. */
function reduced(node: OnnxNode, value: Counted, known: Known): Flow | undefined {
  const axes = overAll(node) ? null : axesOf(node, 1, known);
  if (axes === null && !overAll(node)) return undefined;
  const places = axes?.map((axis) => fromFront(axis, value.rank)) ?? null;
  if (places !== null && (value.axis === null || places.includes(null))) return undefined;
  if (places === null || places.includes(value.axis)) {
    if (value.holds === "items") return mixedByCount(value);
    return value.holds === "constants" ? { kind: "count", by: value.by, places: null, length: null } : undefined;
  }
  return integerAttribute(node, "keepdims")?.[0] === 0 ? without({ ...value, axis: value.axis ?? 0 }, axes) : value;
}

/** Elements at counted places, or some of the counted elements. */
function chosenBy(node: OnnxNode, value: Counted, known: Known): Flow | undefined {
  const [data = "", places = ""] = node.inputs;
  const axis = integerAttribute(node, "axis")?.[0] ?? 0;
  if (known.flows.get(places) === value && known.flows.get(data)?.kind !== "counted") {
    if (value.axis === null || (integerAttribute(node, "batch_dims")?.[0] ?? 0) !== 0) return undefined;
    const rows = flowRows(node, 0, known);
    const isOfAll = rows !== undefined && rows.axis === (node.op === "Gather" ? axis : 0);
    const before = node.op === "Gather" ? axis : 0;
    if (before < 0 || (node.op === "GatherND" && value.axis + 1 === value.rank)) return undefined;
    return { ...value, axis: before + value.axis, rank: null, holds: isOfAll ? "items" : "either" };
  }
  const index = known.constants.get(places);
  const place = fromFront(axis, value.rank);
  if (node.op !== "Gather" || index === undefined || place === null || value.axis === null) return undefined;
  if (place === value.axis) return undefined;
  const grown = index.rank - 1;
  const rank = value.rank === null ? null : value.rank + grown;
  return { ...value, axis: place < value.axis ? value.axis + grown : value.axis, rank };
}

function transposed(node: OnnxNode, value: Placed): Flow | undefined {
  const perm = integerAttribute(node, "perm");
  if (perm !== null) return { ...value, axis: perm.indexOf(value.axis), rank: perm.length };
  return value.rank === null ? undefined : { ...value, axis: value.rank - 1 - value.axis };
}

/** Removes dimensions of which the counted one is none. */
function without(value: Placed, axes: readonly number[] | null): Flow | undefined {
  const places = axes?.map((axis) => fromFront(axis, value.rank));
  if (places === undefined || places.includes(null) || places.includes(value.axis)) return undefined;
  const before = places.filter((place) => Number(place) < value.axis).length;
  return { ...value, axis: value.axis - before, rank: value.rank === null ? null : value.rank - places.length };
}

function unsqueezed(value: Placed, axes: readonly number[] | null): Flow | undefined {
  const rank = value.rank === null || axes === null ? null : value.rank + axes.length;
  const places = axes?.map((axis) => fromFront(axis, rank));
  if (places === undefined || places.includes(null)) return undefined;
  let { axis } = value;
  for (const place of places.toSorted((a, b) => Number(a) - Number(b))) if (Number(place) <= axis) axis += 1;
  return { ...value, axis, rank };
}

/** Returns true if a sequence has a part for each counted element. */
function isSplitAt(node: OnnxNode, { axis, rank }: Placed): boolean {
  return (node.inputs[1] ?? "") === "" && fromFront(integerAttribute(node, "axis")?.[0] ?? 0, rank) === axis;
}

/** A slice along another axis keeps all that was counted. */
function sliced(node: OnnxNode, value: Placed, known: Known): Flow | undefined {
  const places = axesOf(node, 3, known)?.map((axis) => fromFront(axis, value.rank));
  return places === undefined || places.includes(null) || places.includes(value.axis) ? undefined : value;
}

/**
 * Returns the flows of a node whose output has a size that all items decide together, by what they hold; `null` for any
 * other node.
 */
function counting(node: OnnxNode, known: Known): Flow | readonly Flow[] | null {
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
