import { productFlow } from "./products.js";
import { axesOf, fromFront, laidOut, without } from "./shapes.js";
import { acrossBatch, describeFlow, flowRows, UNKNOWN, type Flow, type Known, type Rows } from "./values.js";
import { FLOAT_TYPES, integerAttribute, type OnnxNode } from "./onnx-graph.js";

/** Arithmetic that preserves dependence: if an input depends on other items, so does the output. */
const ARITHMETIC =
  words(`Abs Add Cast Cos DequantizeLinear Div Dropout Elu Erf Exp Gelu HardSigmoid HardSwish Identity LeakyRelu Log
  Mish Mul Neg PRelu Pow Reciprocal Relu Selu Sigmoid Sin Softplus Softsign Sqrt Sub Sum Tanh`);
/** Operations that also preserve dependence. Normalizations do not: they may cancel the influence of the batch. */
const LINEAR =
  words(`AveragePool BatchNormalization Concat Conv ConvInteger ConvTranspose CumSum Flatten Gemm GlobalAveragePool MatMul
  MatMulInteger Reshape Squeeze Transpose Unsqueeze`);
/** Operations on single elements that may discard their input, and so need not preserve dependence. */
const ELEMENTWISE =
  words(`And Ceil Clip Equal Floor Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Max Mean Min Mod Not Or
  QuantizeLinear Round Sign Where Xor`);
/** Operations on images, or on data with the same layout: the batch is the first dimension. */
const PICTURES =
  words(`AveragePool BatchNormalization Conv ConvTranspose DepthToSpace GlobalAveragePool GlobalMaxPool GroupNormalization
  InstanceNormalization LRN MaxPool Resize SpaceToDepth Upsample`);
/**
 * Operations that work along one axis, with the default of the attribute `axis`: the oldest and the newest default, if
 * they differ between versions of ONNX.
 */
const ALONG: Readonly<Record<string, readonly number[]>> = {
  ArgMax: [0],
  ArgMin: [0],
  Hardmax: [1, -1],
  LogSoftmax: [1, -1],
  LpNormalization: [-1],
  Softmax: [1, -1],
  TopK: [-1],
};
/** Operations that contain graphs, which may use values other than the node's inputs. */
const BRANCHING = words("If Loop Scan SequenceMap");

const COMPARES =
  /^(And|Equal|Greater|GreaterOrEqual|IsInf|IsNaN|Less|LessOrEqual|Not|Or|Xor|ArgMax|ArgMin|QuantizeLinear)$/;

/** Returns the flow of a node's outputs; `undefined` if no input depends on the batch. */
export function flowOf(node: OnnxNode, known: Known): Flow | undefined {
  if (BRANCHING.has(node.op)) return UNKNOWN;
  const flows = node.inputs.flatMap((input) => known.flows.get(input) ?? []);
  if (flows.length === 0) return undefined;
  if (flows.some(({ kind }) => kind === "unknown")) return UNKNOWN;
  if (flows.every(({ kind }) => kind === "size") || node.op === "Shape" || node.op === "Size") return { kind: "size" };
  const [mixed, another] = flows.filter((flow) => flow.kind === "mixed");
  // Two mixed inputs may cancel each other, for example a value that is scaled by the batch and its own norm.
  if (mixed !== undefined) return another === undefined && carriesOn(node) ? mixed : UNKNOWN;
  const product = productFlow(node, known);
  if (product !== null) return product;
  if (flows.some(({ kind }) => kind === "pairs")) return pairsFlow(node, flows);
  return rowsFlow(node, known) ?? UNKNOWN;
}

function carriesOn({ op }: OnnxNode): boolean {
  return ARITHMETIC.has(op) || LINEAR.has(op) || op.startsWith("Reduce");
}

/**
 * Returns the flow of a matrix of all pairs of items: a softmax or sum over either dimension works across the batch.
 */
function pairsFlow(node: OnnxNode, flows: readonly Flow[]): Flow {
  if (node.op === "Softmax" || node.op.startsWith("Reduce")) return { kind: "mixed", by: describeFlow(node) };
  const isPlain = flows.every(({ kind }) => kind === "pairs" || kind === "size");
  return isPlain && (ARITHMETIC.has(node.op) || node.op === "Transpose") ? { kind: "pairs" } : UNKNOWN;
}

function rowsFlow(node: OnnxNode, known: Known): Flow | undefined {
  const { op } = node;
  if (ARITHMETIC.has(op) || ELEMENTWISE.has(op)) return elementwise(node, known);
  const first = flowRows(node, 0, known);
  if (op === "Gather") return gathered(node, first, known);
  if (op === "Concat" || op === "Split") return joinedFlows(node, known);
  if (first === undefined) return undefined;
  if (PICTURES.has(op)) return pictures(node, first);
  if (op.startsWith("Reduce")) return reduced(node, first, known);
  if (op in ALONG) return along(node, first);
  switch (op) {
    case "CumSum":
      return across(node, first, known.constants.get(node.inputs[1] ?? "")?.list ?? null);
    case "DynamicQuantizeLinear":
      return acrossBatch(node, first);
    case "LayerNormalization":
      return layers(node, first);
    case "MeanVarianceNormalization":
      return across(node, first, integerAttribute(node, "axes") ?? [0, 2, 3]);
    case "Slice":
      return sliced(node, first, known);
    default:
      return laidOut(node, first, known);
  }
}

/** Broadcasting aligns shapes at their last dimensions, so the batch must have the same distance from the end. */
function elementwise(node: OnnxNode, known: Known): Flow | undefined {
  const all = node.inputs.flatMap((_, input) => flowRows(node, input, known) ?? []);
  const [widest, ...others] = all.toSorted((a, b) => (b.rank ?? 0) - (a.rank ?? 0));
  if (widest === undefined) return undefined;
  const ranks = node.inputs
    .filter((input) => !isRows(known.flows.get(input)))
    .map((input) => tensorRankOf(input, known));
  const isAligned = others.every(
    ({ axis, rank }) => rank !== null && widest.rank !== null && rank - axis === widest.rank - widest.axis,
  );
  const isWidest = ranks.every((rank) => rank !== null && widest.rank !== null && rank <= widest.rank);
  if (!isAligned && others.some(({ axis }) => axis !== widest.axis)) return undefined;
  return {
    ...widest,
    isFolded: all.some(({ isFolded }) => isFolded),
    isFloat: isFloatAfter(node, widest),
    isCertain: all.every(({ isCertain }) => isCertain) && isAligned && isWidest,
  };
}

function isRows(flow: Flow | undefined): boolean {
  return flow?.kind === "rows";
}

function tensorRankOf(value: string, { constants }: Known): number | null {
  return value === "" ? 0 : (constants.get(value)?.rank ?? null);
}

function isFloatAfter(node: OnnxNode, { isFloat }: Rows): boolean {
  if (node.op === "Cast") return FLOAT_TYPES.has(integerAttribute(node, "to")?.[0] ?? 0);
  return node.op === "DequantizeLinear" || (isFloat && !COMPARES.test(node.op));
}

function pictures(node: OnnxNode, rows: Rows): Flow | undefined {
  if (rows.axis === 0) return rows;
  return node.op === "InstanceNormalization" && rows.axis > 1 ? acrossBatch(node, rows) : undefined;
}

function reduced(node: OnnxNode, rows: Rows, known: Known): Flow | undefined {
  const isComputed = (node.inputs[1] ?? "") !== "" && !known.constants.has(node.inputs[1] ?? "");
  const axes = axesOf(node, 1, known);
  if (isComputed || integerAttribute(node, "noop_with_empty_axes")?.[0] === 1) return undefined;
  if (axes === null) return acrossBatch(node, rows);
  const kept = across(node, rows, axes);
  if (kept?.kind !== "rows" || integerAttribute(node, "keepdims")?.[0] !== 0) return kept;
  return without(kept, axes);
}

function along(node: OnnxNode, rows: Rows): Flow | undefined {
  const axis = integerAttribute(node, "axis");
  const flow = across(node, rows, axis ?? ALONG[node.op] ?? []);
  // The default axis depends on the version of ONNX.
  if (axis === null && flow?.kind === "mixed") return undefined;
  if (flow?.kind !== "rows") return flow;
  const typed = { ...flow, isFloat: isFloatAfter(node, flow) };
  return integerAttribute(node, "keepdims")?.[0] === 0 ? without(typed, axis ?? [0]) : typed;
}

/** Layer normalization, over all dimensions from `axis` to the last. */
function layers(node: OnnxNode, rows: Rows): Flow | undefined {
  const from = fromFront(integerAttribute(node, "axis")?.[0] ?? -1, rows.rank);
  if (from === null) return rows.axis === 0 ? { ...rows, isCertain: false } : undefined;
  return from <= rows.axis ? acrossBatch(node, rows) : rows;
}

/** The flow of an operation that works over `axes` and leaves the other dimensions in place. */
function across(node: OnnxNode, rows: Rows, axes: readonly number[] | null): Flow | undefined {
  if (axes === null) return undefined;
  const places = axes.map((axis) => fromFront(axis, rows.rank));
  if (places.includes(rows.axis)) return acrossBatch(node, rows);
  // Without a rank, assume that an axis counted from the end is not the batch.
  return places.includes(null) ? { ...rows, isCertain: false } : rows;
}

function joinedFlows(node: OnnxNode, known: Known): Flow | undefined {
  const flow = elementwise(node, known);
  if (flow?.kind !== "rows") return flow;
  const place = fromFront(integerAttribute(node, "axis")?.[0] ?? 0, flow.rank);
  return place === flow.axis ? undefined : flow;
}

/** A slice along the batch keeps all rows, or works across the batch because it reverses or shifts them. */
function sliced(node: OnnxNode, rows: Rows, known: Known): Flow | undefined {
  const axes = axesOf(node, 3, known);
  const places = axes?.map((axis) => fromFront(axis, rows.rank));
  if (places === undefined || places.includes(null)) return undefined;
  const at = places.indexOf(rows.axis);
  if (at < 0) return rows;
  const [start, end, step = 1] = [1, 2, 4].map((input) => known.constants.get(node.inputs[input] ?? "")?.list?.[at]);
  if (start === undefined || end === undefined) return undefined;
  if ((start === 0 || start <= -(2 ** 31)) && end >= 2 ** 31 - 1 && step === 1) return rows;
  return start !== 0 || step < 0 ? acrossBatch(node, rows) : undefined;
}

/**
 * Gathers from a table with the batch as indices, or the same elements from each item. If it gathers the same items for
 * all rows, it works across the batch.
 */
function gathered(node: OnnxNode, data: Rows | undefined, known: Known): Flow | undefined {
  const axis = integerAttribute(node, "axis")?.[0] ?? 0;
  const [table, indices] = [known.constants.get(node.inputs[0] ?? ""), known.constants.get(node.inputs[1] ?? "")];
  if (data === undefined) {
    const ids = flowRows(node, 1, known);
    if (ids === undefined || axis !== 0) return undefined;
    const rank = ids.rank === null || table === undefined ? null : ids.rank + table.rank - 1;
    return { ...ids, rank, isFloat: table?.isFloat ?? false, isCertain: ids.isCertain && table !== undefined };
  }
  const place = fromFront(axis, data.rank);
  if (place === null || indices === undefined) return undefined;
  if (place === data.axis) return acrossBatch(node, data);
  const grown = indices.rank - 1;
  return {
    ...data,
    axis: place < data.axis ? data.axis + grown : data.axis,
    rank: data.rank === null ? null : data.rank + grown,
  };
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
