import { listOf, type Flow, type Known, type Rows } from "./values.js";
import { integerAttribute, type OnnxNode } from "./onnx-graph.js";

/** Returns the batch after an operation that changes the layout of a value; `undefined` if it is unknown. */
export function laidOut(node: OnnxNode, rows: Rows, known: Known): Rows | undefined {
  const axes = () => axesOf(node, 1, known);
  switch (node.op) {
    case "Transpose":
      return transposed(rows, integerAttribute(node, "perm"));
    case "Squeeze":
      return squeezed(rows, axes());
    case "Unsqueeze":
      return unsqueezed(rows, axes());
    case "Flatten":
      return flattened(rows, integerAttribute(node, "axis")?.[0] ?? 1);
    case "Expand":
      return expanded(rows, listOf(node, 1, known));
    case "Tile":
      return listOf(node, 1, known)?.[rows.axis] === 1 ? rows : undefined;
    case "Pad":
    case "com.microsoft.Pad":
      return padded(rows, integerAttribute(node, "pads") ?? listOf(node, 1, known), listOf(node, 3, known));
    default:
      return undefined;
  }
}

/**
 * Returns the axes of an operation; `null` if they are omitted or computed. They are an attribute in older versions of
 * the operation and an input in newer ones.
 */
export function axesOf(node: OnnxNode, input: number, known: Known): readonly number[] | null {
  return integerAttribute(node, "axes") ?? listOf(node, input, known);
}

/** Returns the axis counted from the front; `null` if it is negative and the rank is unknown. */
export function fromFront(axis: number, rank: number | null): number | null {
  if (axis >= 0) return axis;
  return rank === null ? null : axis + rank;
}

/** Removes dimensions. Returns `undefined` if the batch may be among them. */
export function without(rows: Rows, axes: readonly number[]): Rows | undefined {
  const places = axes.map((axis) => fromFront(axis, rows.rank));
  if (places.some((place) => place === null || place === rows.axis)) return undefined;
  const before = places.filter((place) => place !== null && place < rows.axis).length;
  return { ...rows, axis: rows.axis - before, rank: rows.rank === null ? null : rows.rank - axes.length };
}

function squeezed(rows: Rows, axes: readonly number[] | null): Rows | undefined {
  return axes === null ? undefined : without(rows, axes);
}

function unsqueezed(rows: Rows, axes: readonly number[] | null): Rows | undefined {
  if (axes === null) return undefined;
  const rank = rows.rank === null ? null : rows.rank + axes.length;
  const places = axes.map((axis) => fromFront(axis, rank));
  if (places.includes(null)) return undefined;
  let axis = rows.axis;
  for (const place of places.toSorted((a, b) => Number(a) - Number(b))) if (Number(place) <= axis) axis += 1;
  return { ...rows, axis, rank };
}

function transposed(rows: Rows, perm: readonly number[] | null): Rows | undefined {
  if (perm === null) return rows.rank === null ? undefined : { ...rows, axis: rows.rank - 1 - rows.axis };
  const axis = perm.indexOf(rows.axis);
  return axis < 0 ? undefined : { ...rows, axis, rank: perm.length };
}

/** A shape with more dimensions adds them in front. */
function expanded(rows: Rows, shape: readonly number[] | null): Rows | undefined {
  if (shape === null || rows.rank === null) return undefined;
  const added = Math.max(0, shape.length - rows.rank);
  return { ...rows, axis: rows.axis + added, rank: rows.rank + added };
}

/** Padding of the batch moves or adds items. */
function padded(rows: Rows, pads: readonly number[] | null, axes: readonly number[] | null): Rows | undefined {
  if (pads === null) return undefined;
  const places =
    axes?.map((axis) => fromFront(axis, rows.rank)) ?? Array.from({ length: pads.length / 2 }, (_, axis) => axis);
  const at = places.indexOf(rows.axis);
  if (places.includes(null)) return undefined;
  return at < 0 || (pads[at] === 0 && pads[at + pads.length / 2] === 0) ? rows : undefined;
}

function flattened(rows: Rows, axis: number): Rows | undefined {
  if (rows.axis !== 0 || axis < 1) return undefined;
  return { ...rows, isFolded: rows.isFolded || axis > 1, rank: 2 };
}

interface Reshaped {
  /** The shape that replaces the literal one; `null` to keep it. */
  readonly shape: readonly number[] | null;
  readonly flow: Flow;
}

/**
 * Returns the flow of a reshape, and a shape that keeps the batch; `null` if the batch cannot be followed. If the batch
 * is the outermost dimension, a reshape in row-major order keeps the elements of each item together, so the leading
 * size can grow with the batch. It becomes -1, or 0 (the size of the input) if the shape already has a -1.
 */
export function reshape(node: OnnxNode, { flows, constants }: Known): Reshaped | null {
  const [data = "", shapeName = ""] = node.inputs;
  const rows = flows.get(data);
  const [first, ...rest] = constants.get(shapeName)?.list ?? [];
  if (rows?.kind !== "rows" || rows.axis !== 0 || first === undefined) return null;
  const rank = 1 + rest.length;
  const zeroIsZero = integerAttribute(node, "allowzero")?.[0] === 1;
  if (first === 0) return zeroIsZero ? null : { shape: null, flow: { ...rows, rank } };
  if (first === -1) return { shape: null, flow: { ...rows, rank, isFolded: true } };
  if (!rest.includes(-1)) {
    if (zeroIsZero && rest.includes(0)) return null;
    return { shape: [-1, ...rest], flow: { ...rows, rank, isFolded: rows.isFolded || first !== 1 } };
  }
  return first === 1 && !rows.isFolded && !zeroIsZero ? { shape: [0, ...rest], flow: { ...rows, rank } } : null;
}
