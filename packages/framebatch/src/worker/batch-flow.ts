import { integerAttribute, type OnnxNode } from "./onnx-graph.js";

/**
 * How the batch lies in a value. `leads`: it is the leading dimension. `outermost`: the leading dimension is a multiple of it,
 * and the elements of one item lie side by side.
 */
type Flow = "leads" | "outermost";

type Lists = ReadonlyMap<string, readonly number[]>;

/** The one axis that an operation works along: by its attribute, or by default. */
const WORKS_ALONG: Readonly<Record<string, number>> = {
  ArgMax: 0,
  ArgMin: 0,
  Concat: 0,
  LayerNormalization: -1,
  LogSoftmax: -1,
  Softmax: -1,
  Split: 0,
};

const KEEPS_LEADING = new Set(
  `Abs Add And AveragePool BatchNormalization Cast Ceil Clip Conv ConvTranspose Cos DepthToSpace DequantizeLinear Div Dropout
  Elu Equal Erf Exp Floor Gelu GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual GroupNormalization HardSigmoid HardSwish
  Identity InstanceNormalization LRN LeakyRelu Less LessOrEqual Log Max MaxPool Min Mish Mod Mul Neg Not Or PRelu Pow
  QuantizeLinear Reciprocal Relu Resize Round Selu Sigmoid Sign Sin Softplus Softsign SpaceToDepth Sqrt Sub Sum Tanh Upsample
  Where Xor`.split(/\s+/),
);

/**
 * Follows the batch from the inputs through the graph, and finds the reshapes that would cram it into a literal size: of each,
 * by its place among the nodes, the shape that keeps the batch. In row-major order a reshape of a value in which the batch is
 * outermost leaves each item's elements side by side, so the leading size may grow with the batch: it becomes -1, or 0 (as in
 * the input) where another -1 stands.
 *
 * An operation that is not known here ends the trail. Negative axes are taken not to mean the first, which they do in values
 * of one dimension: what comes of a wrong guess is caught by the comparison with the model as it was.
 *
 * @param nodes in an order in which each comes after those that it depends on, as ONNX demands
 * @param lists constant lists of whole numbers, by the name of the value
 * @param batched inputs whose leading dimension is the batch
 */
export function mendedShapes(
  nodes: readonly OnnxNode[],
  lists: Lists,
  batched: readonly string[],
): Map<number, readonly number[]> {
  const flows = new Map<string, Flow>(batched.map((name) => [name, "leads"]));
  const mended = new Map<number, readonly number[]>();
  for (const [index, node] of nodes.entries()) {
    const reshaped = node.op === "Reshape" ? reshape(node, lists, flows) : null;
    if (reshaped?.shape) mended.set(index, reshaped.shape);
    const flow = node.op === "Reshape" ? reshaped?.flow : flowThrough(node, lists, flows);
    if (flow !== undefined) for (const output of node.outputs) flows.set(output, flow);
  }
  return mended;
}

interface Reshaped {
  /** The shape to put in place of the literal one; `null` where that may stay. */
  readonly shape: readonly number[] | null;
  readonly flow: Flow;
}

function reshape(node: OnnxNode, lists: Lists, flows: ReadonlyMap<string, Flow>): Reshaped | null {
  const [data = "", shapeName = ""] = node.inputs;
  const flow = flows.get(data);
  const [first, ...rest] = lists.get(shapeName) ?? [];
  if (flow === undefined || first === undefined) return null;
  const zeroIsZero = integerAttribute(node, "allowzero")?.[0] === 1;
  if (first === 0) return zeroIsZero ? null : { shape: null, flow };
  if (first === -1) return { shape: null, flow: "outermost" };
  if (!rest.includes(-1)) {
    if (zeroIsZero && rest.includes(0)) return null;
    return { shape: [-1, ...rest], flow: first === 1 ? "leads" : "outermost" };
  }
  return first === 1 && flow === "leads" && !zeroIsZero ? { shape: [0, ...rest], flow } : null;
}

function flowThrough(node: OnnxNode, lists: Lists, flows: ReadonlyMap<string, Flow>): Flow | undefined {
  const { op, inputs } = node;
  const first = flows.get(inputs[0] ?? "");
  const any = inputs.map((input) => flows.get(input)).find((flow) => flow !== undefined);
  if (KEEPS_LEADING.has(op)) return any;
  const along = WORKS_ALONG[op];
  if (along !== undefined) return (integerAttribute(node, "axis")?.[0] ?? along) === 0 ? undefined : any;
  if (op.startsWith("Reduce")) return axesOf(node, 1, lists)?.includes(0) === false ? first : undefined;
  switch (op) {
    case "MatMul":
      return first;
    case "Gemm":
      return integerAttribute(node, "transA")?.[0] === 1 ? undefined : first;
    case "Flatten":
      return flattened(integerAttribute(node, "axis")?.[0] ?? 1, first);
    case "Transpose":
      return integerAttribute(node, "perm")?.[0] === 0 ? first : undefined;
    case "Squeeze":
    case "Unsqueeze":
      return axesOf(node, 1, lists)?.includes(0) === false ? first : undefined;
    case "Slice":
      return axesOf(node, 3, lists)?.includes(0) === false ? first : undefined;
    case "Gather":
      return gathered(integerAttribute(node, "axis")?.[0] ?? 0, first, flows.get(inputs[1] ?? ""));
    default:
      return undefined;
  }
}

function flattened(axis: number, flow: Flow | undefined): Flow | undefined {
  if (axis === 1) return flow;
  return axis > 1 && flow !== undefined ? "outermost" : undefined;
}

/** Looking up a table with the batch as the indices, or the same places in each item. */
function gathered(axis: number, data: Flow | undefined, indices: Flow | undefined): Flow | undefined {
  if (data === undefined) return axis === 0 ? indices : undefined;
  return axis === 0 ? undefined : data;
}

/** Axes are an attribute in older versions of an operation, and an input in newer ones. */
function axesOf(node: OnnxNode, input: number, lists: Lists): readonly number[] | null {
  return integerAttribute(node, "axes") ?? lists.get(node.inputs[input] ?? "") ?? null;
}
