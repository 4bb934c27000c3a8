import { listOf, type Flow, type Known, type Rows, acrossBatch, flowRows, mixedBy } from "./values.js";
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

/**
 * The default axes of operations that work along one: the oldest and the newest default, if they differ between
 * versions of ONNX.
 */
const DEFAULT_AXES: Readonly<Record<string, readonly number[]>> = {
  ArgMax: [0],
  ArgMin: [0],
  DFT: [1, -2],
  Hardmax: [1, -1],
  LogSoftmax: [1, -1],
  LpNormalization: [-1],
  Softmax: [1, -1],
  TopK: [-1],
  "com.microsoft.BiasSoftmax": [1],
  "com.microsoft.QLinearSoftmax": [1, -1],
};
/** The input that gives the axis, of operations that have such an input. */
const AXIS_INPUTS: Readonly<Record<string, number>> = { CumProd: 1, CumSum: 1, DFT: 2 };

/** Broadcasting aligns shapes at their last dimensions, so the batch must have the same distance from the end. */
export function elementwise(node: OnnxNode, known: Known): Rows | undefined {
  const all = node.inputs.flatMap((_, input) => flowRows(node, input, known) ?? []);
  const [widest, ...others] = all.toSorted((a, b) => (b.rank ?? 0) - (a.rank ?? 0));
  if (widest === undefined) return undefined;
  const ranks = node.inputs
    .filter((input) => known.flows.get(input)?.kind !== "rows")
    .map((input) => (input === "" ? 0 : (known.constants.get(input)?.rank ?? null)));
  const isAligned = others.every(
    ({ axis, rank }) => rank !== null && widest.rank !== null && rank - axis === widest.rank - widest.axis,
  );
  const isWidest = ranks.every((rank) => rank !== null && widest.rank !== null && rank <= widest.rank);
  if (!isAligned && others.some(({ axis }) => axis !== widest.axis)) return undefined;
  return {
    ...widest,
    isFolded: all.some(({ isFolded }) => isFolded),
    isCertain: all.every(({ isCertain }) => isCertain) && isAligned && (isWidest || node.inputs.length === 1),
  };
}

/**
 * Images, or data with the same layout: [items, channels, ...]. Channels are summed, and windows slide over the rest.
 */
export function pictures(node: OnnxNode, rows: Rows, known: Known): Flow | undefined {
  if (node.inputs.some((_, input) => input > 0 && flowRows(node, input, known) !== undefined)) return undefined;
  if (integerAttribute(node, "training_mode")?.[0] === 1) return rows.axis === 1 ? rows : acrossBatch(node, rows);
  if (rows.axis === 0) return rows;
  if (rows.axis === 1) return sumsChannels(node) ? acrossBatch(node, rows) : undefined;
  const window = integerAttribute(node, "kernel_shape")?.[rows.axis - 2] ?? 1;
  return window > 1 || /Global|^InstanceNormalization$/.test(node.op) ? acrossBatch(node, rows) : undefined;
}

function sumsChannels(node: OnnxNode): boolean {
  return node.op === "LRN" || (node.op.includes("Conv") && (integerAttribute(node, "group")?.[0] ?? 1) === 1);
}

/** Returns true for a reduction that names no axes, and so reduces all. */
export function overAll(node: OnnxNode): boolean {
  const isNoop = integerAttribute(node, "noop_with_empty_axes")?.[0] === 1;
  return integerAttribute(node, "axes") === null && (node.inputs[1] ?? "") === "" && !isNoop;
}

export function reduced(node: OnnxNode, rows: Rows, known: Known): Flow | undefined {
  if (overAll(node)) return mixedBy(node);
  const axes = axesOf(node, 1, known);
  const kept = flowOverAxes(node, rows, axes);
  if (kept?.kind !== "rows" || axes === null || integerAttribute(node, "keepdims")?.[0] !== 0) return kept;
  return without(kept, axes);
}

/** An operation along one axis. */
export function acrossAxis(node: OnnxNode, rows: Rows, known: Known): Flow | undefined {
  const named = node.op === "ReverseSequence" ? "time_axis" : "axis";
  const axis = integerAttribute(node, named) ?? listOf(node, AXIS_INPUTS[node.op] ?? Infinity, known);
  const byDefault = node.op === "ReverseSequence" ? [0] : (DEFAULT_AXES[node.op] ?? null);
  const flow = flowOverAxes(node, rows, axis ?? byDefault);
  // The default axis depends on the version of ONNX.
  if (axis === null && flow?.kind === "mixed" && byDefault?.length !== 1) return undefined;
  const isReduced = flow?.kind === "rows" && integerAttribute(node, "keepdims")?.[0] === 0;
  return isReduced ? without(flow, axis ?? byDefault ?? []) : flow;
}

export function normalized(node: OnnxNode, rows: Rows): Flow | undefined {
  if (node.op === "MeanVarianceNormalization")
    return flowOverAxes(node, rows, integerAttribute(node, "axes") ?? [0, 2, 3]);
  const from = fromFront(integerAttribute(node, "axis")?.[0] ?? -1, rows.rank);
  if (from === null) return rows.axis === 0 ? { ...rows, isCertain: false } : undefined;
  return from <= rows.axis ? acrossBatch(node, rows) : rows;
}

/**
 * A recurrence over [steps, items, features], or [items, steps, features] with `layout` 1. Its outputs are all states,
 * with a dimension for directions, and the last states.
 */
export function recurrent(node: OnnxNode, rows: Rows): Flow | readonly Flow[] {
  const isItemsFirst = integerAttribute(node, "layout")?.[0] === 1;
  if (rows.axis !== (isItemsFirst ? 0 : 1)) return acrossBatch(node, rows);
  const states: Flow = { ...rows, axis: isItemsFirst ? 0 : 2, rank: 4 };
  return [states, { ...rows, rank: 3 }, { ...rows, rank: 3 }];
}

/** The flow of an operation that works over `axes` and leaves the other dimensions in place. */
function flowOverAxes(node: OnnxNode, rows: Rows, axes: readonly number[] | null): Flow | undefined {
  if (axes === null) return undefined;
  const places = axes.map((axis) => fromFront(axis, rows.rank));
  if (places.includes(rows.axis)) return acrossBatch(node, rows);
  // Without a rank, assume that an axis counted from the end is not the batch.
  return places.includes(null) ? { ...rows, isCertain: false } : rows;
}
