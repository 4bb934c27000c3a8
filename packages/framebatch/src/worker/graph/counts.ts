import { integerAttribute, type OnnxNode } from "./onnx-graph.js";
import { isSizedBy, type OperatorClass } from "./operators.js";
import { axesOf, fromFront } from "./shapes.js";
import {
  flowRows,
  listOf,
  mixedByCount,
  SIZE,
  UNKNOWN,
  type Count,
  type Counted,
  type Flow,
  type Known,
} from "./values.js";

/** Returns what the size of a counted value is: the count, a list with the count in it, or neither. */
export function sizeOfCounted(node: OnnxNode, { by, axis, rank }: Counted): Flow | undefined {
  if (node.op === "Size" || node.op === "SequenceLength") return { kind: "count", by, places: null, length: null };
  if (node.op !== "Shape" || axis === null) return undefined;
  const start = fromFront(integerAttribute(node, "start")?.[0] ?? 0, rank);
  const [given] = integerAttribute(node, "end") ?? [];
  const end = given === undefined ? rank : fromFront(given, rank);
  if (start === null || (end === null && given !== undefined)) return undefined;
  if (axis < start || (end !== null && axis >= end)) return SIZE;
  return listed(by, [axis - start], end === null ? null : end - start);
}

/** Returns the flow of a node, some of whose inputs are counts. */
export function ofCount(node: OnnxNode, kind: OperatorClass, counts: readonly Count[], known: Known): Flow {
  const [first] = counts;
  if (first === undefined) return UNKNOWN;
  const others = node.inputs.flatMap((input) => known.flows.get(input) ?? []).filter(({ kind: of }) => of !== "count");
  const isAlone = others.every((flow) => flow.kind === "size");
  const isSizing = node.inputs.some((input, at) => isCount(input, known) && isSizedBy(node.op, at));
  if (isSizing) return (isAlone ? sized(node, first, known) : sizedRows(node, first, known)) ?? UNKNOWN;
  if (kind === "sizes") return SIZE;
  if (isAlone) return computed(node, kind, counts, known) ?? UNKNOWN;
  return others.every((flow) => flow.kind === "rows" || flow.kind === "contents" || flow.kind === "size")
    ? withItems(node, kind, first, known)
    : UNKNOWN;
}

/** A value of a size that is a count. */
function sized(node: OnnxNode, count: Count, known: Known): Flow | undefined {
  if (isCount(node.inputs[0] ?? "", known) && !isSizedBy(node.op, 0)) return computedList(node, count, known);
  return { kind: "counted", by: count.by, axis: sizedAxis(node, count, known), rank: null, holds: "constants" };
}

/** What items hold, cut to a size that is a count. A value that is repeated may be masked by whom it belongs to. */
function sizedRows(node: OnnxNode, count: Count, known: Known): Flow | undefined {
  const rows = flowRows(node, 0, known);
  const [op, axis] = [node.op, sizedAxis(node, count, known)];
  const isCut = /^(Slice|TopK|Resize|Upsample)$/.test(op);
  if (rows === undefined || !rows.isCertain || axis === null || !isCut) return undefined;
  const place = fromFront(axis, rows.rank);
  return place === null || place === rows.axis ? undefined : mixedByCount(count);
}

/** The dimension that a count gives the size of; `null` if it is unknown. */
function sizedAxis(node: OnnxNode, { places, length }: Count, known: Known): number | null {
  const [place, ...more] = places ?? (length === null || length === 1 ? [0] : []);
  if (place === undefined || more.length > 0) return null;
  switch (node.op) {
    case "Slice":
      return axesOf(node, 3, known)?.[place] ?? null;
    case "TopK":
    case "OneHot":
      return integerAttribute(node, "axis")?.[0] ?? -1;
    case "Range":
    case "ConstantOfShape":
    case "Expand":
    case "Resize":
    case "Tile":
    case "Upsample":
      return place;
    default:
      return null;
  }
}

/** A count that meets what items hold, as a number: each item's part then depends on it. */
function withItems(node: OnnxNode, kind: OperatorClass, count: Count, known: Known): Flow {
  if (kind === "elementwise" || kind === "products" || kind === "normalizing") return mixedByCount(count);
  const rows = flowRows(node, 0, known);
  const axis = fromFront(integerAttribute(node, "axis")?.[0] ?? 0, rows?.rank ?? null);
  const isPlace = node.op === "Gather" && rows?.isCertain === true && axis !== null && axis !== rows.axis;
  return isPlace ? mixedByCount(count) : UNKNOWN;
}

/** What is computed from counts and from what no item holds. */
function computed(node: OnnxNode, kind: OperatorClass, counts: readonly Count[], known: Known): Flow | undefined {
  const [first] = counts;
  if (first === undefined || kind === "opaque" || kind === "counting") return undefined;
  if (node.op === "Concat") return concatenated(node, first.by, known);
  if (kind === "elementwise") {
    const isOfAll = counts.some(({ places }) => places === null);
    const places = [...new Set(counts.flatMap((count) => count.places ?? []))];
    return { ...first, places: isOfAll ? null : places };
  }
  return computedList(node, first, known);
}

/** Elements of a list in which there are counts, or what a number is made into. */
function computedList(node: OnnxNode, count: Count, known: Known): Flow | undefined {
  if (node.op === "Gather") return taken(node, count, known);
  if (node.op === "Slice") return cut(node, count, known);
  return count.places === null ? { ...count, length: null } : undefined;
}

/** The elements of a list at constant places. */
function taken(node: OnnxNode, count: Count, known: Known): Flow | undefined {
  const [data = ""] = node.inputs;
  if (!isCount(data, known) || count.places === null) return count.places === null ? count : undefined;
  const list = listOf(node, 1, known)?.map((index) => fromFront(index, count.length));
  if (list === undefined || list.includes(null)) return undefined;
  const places = list.flatMap((index, at) => (count.places?.includes(Number(index)) === true ? [at] : []));
  return places.length === 0 ? SIZE : listed(count.by, places, list.length);
}

function cut(node: OnnxNode, count: Count, known: Known): Flow | undefined {
  if (count.places === null) return count;
  const [starts, ends] = [1, 2].map((input) => listOf(node, input, known));
  const step = (node.inputs[4] ?? "") === "" ? 1 : listOf(node, 4, known)?.[0];
  const start = fromFront(starts?.[0] ?? 0, count.length);
  const end = fromFront(ends?.[0] ?? 0, count.length);
  if (starts?.length !== 1 || ends?.length !== 1 || step !== 1 || start === null || end === null) return undefined;
  const to = Math.min(end, count.length ?? end);
  const places = count.places.filter((place) => place >= start && place < to).map((place) => place - start);
  return places.length === 0 ? SIZE : listed(count.by, places, to > 2 ** 30 ? null : to - start);
}

/** Lists and numbers, one after the other. The places after one of unknown length are unknown. */
function concatenated(node: OnnxNode, by: string, known: Known): Flow | undefined {
  const places: number[] = [];
  let at: number | null = 0;
  for (const [input, name] of node.inputs.entries()) {
    const flow = known.flows.get(name);
    const length: number | null =
      flow?.kind === "count"
        ? (flow.length ?? (flow.places === null ? 1 : null))
        : (listOf(node, input, known)?.length ?? null);
    if (flow?.kind === "count") {
      if (at === null) return undefined;
      const from = at;
      const own = flow.places ?? Array.from({ length: length ?? 1 }, (_, place) => place);
      places.push(...own.map((place) => from + place));
    }
    at = at === null || length === null ? null : at + length;
  }
  return listed(by, places, at);
}

function listed(by: string, places: readonly number[], length: number | null): Flow {
  return { kind: "count", by, places: places.length === length ? null : places, length };
}

function isCount(input: string, { flows }: Known): boolean {
  return flows.get(input)?.kind === "count";
}
