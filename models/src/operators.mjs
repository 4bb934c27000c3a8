import { GraphBuilder } from "./graph.mjs";

/**
 * Models of one operator each, to compare a batch with single items, and providers with each other. They take `x`
 * float32 [batch, ...dims] to `y`.
 *
 * @typedef {import("./onnx-writer.mjs").Attributes} Attributes
 * @typedef {import("./onnx-writer.mjs").ElementType} ElementType
 * @typedef {{ graph: GraphBuilder, x: string }} Start
 * @typedef {{ dims?: readonly number[], rank?: number, type?: ElementType, make: (start: Start) => string }} Operator dims
 *   of an item, [8] by default; rank and type of the output, those of the input by default
 * @typedef {{ name: string, bytes: Uint8Array<ArrayBuffer>, dims: readonly number[] }} OperatorModel
 */

const IMAGE = [2, 6, 6];
const STEPS = [5, 8];

/** Operators of one input, by the element. */
const UNARY = [
  [
    "Abs",
    "Acosh",
    "Asinh",
    "Atan",
    "Ceil",
    "Cos",
    "Cosh",
    "Elu",
    "Erf",
    "Exp",
    "Floor",
    "HardSigmoid",
    "HardSwish",
    "LeakyRelu",
  ],
  ["Log", "Neg", "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin", "Sinh"],
  ["Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "Celu", "ThresholdedRelu", "Identity", "Acos", "Asin", "Atanh"],
  ["com.microsoft.Gelu", "com.microsoft.FastGelu", "com.microsoft.QuickGelu"],
].flat();

/** Operators of two inputs, by the element. */
const BINARY = ["Add", "Sub", "Mul", "Div", "Min", "Max", "Pow", "Mean", "Sum", "PRelu"];
const COMPARISONS = ["Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"];
const REDUCTIONS = [
  ["ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd"],
  ["ReduceSum", "ReduceSumSquare"],
].flat();
const POOLS = ["AveragePool", "MaxPool", "GlobalAveragePool", "GlobalMaxPool"];

/** @type {Record<string, Operator>} */
const OTHERS = {
  Softmax: simple("Softmax", STEPS, { axis: -1 }),
  "Softmax-inner": simple("Softmax", STEPS, { axis: 1 }),
  LogSoftmax: simple("LogSoftmax", STEPS, { axis: -1 }),
  Hardmax: simple("Hardmax", STEPS, { axis: -1 }),
  Transpose: simple("Transpose", STEPS, { perm: [0, 2, 1] }),
  Flatten: simple("Flatten", STEPS, { axis: 1 }, 2),
  DepthToSpace: simple("DepthToSpace", [8, 3, 3], { blocksize: 2 }),
  "DepthToSpace-CRD": simple("DepthToSpace", [8, 3, 3], { blocksize: 2, mode: "CRD" }),
  SpaceToDepth: simple("SpaceToDepth", [2, 6, 6], { blocksize: 2 }),
  ArgMax: { ...simple("ArgMax", [8], { axis: 1, keepdims: 1 }), type: "int64" },
  ArgMin: { ...simple("ArgMin", [8], { axis: 1, keepdims: 1 }), type: "int64" },
  IsNaN: { make: ({ graph, x }) => graph.node("IsNaN", [graph.node("Log", [x])]), type: "bool" },
  IsInf: { make: ({ graph, x }) => graph.node("IsInf", [x]), type: "bool" },
  "Not-Greater": {
    make: ({ graph, x }) => graph.node("Not", [graph.node("Greater", [x, graph.scalar(0)])]),
    type: "bool",
  },
  And: { make: ({ graph, x }) => graph.node("And", compared(graph, x)), type: "bool" },
  Or: { make: ({ graph, x }) => graph.node("Or", compared(graph, x)), type: "bool" },
  Xor: { make: ({ graph, x }) => graph.node("Xor", compared(graph, x)), type: "bool" },
  Where: {
    make: ({ graph, x }) => graph.node("Where", [graph.node("Greater", [x, graph.scalar(0)]), x, graph.bias(8)]),
  },
  Clip: { make: ({ graph, x }) => graph.node("Clip", [x, graph.scalar(-0.5), graph.scalar(0.5)]) },
  "Relu-of-Log": { make: ({ graph, x }) => graph.node("Relu", [graph.node("Log", [x])]) },
  "Relu-of-Sqrt": { make: ({ graph, x }) => graph.node("Relu", [graph.node("Sqrt", [x])]) },
  "Pow-0.5": { make: ({ graph, x }) => graph.node("Pow", [x, graph.scalar(0.5)]) },
  "Pow-2": { make: ({ graph, x }) => graph.node("Pow", [x, graph.scalar(2)]) },
  "Sin-large": { make: ({ graph, x }) => graph.node("Sin", [graph.node("Mul", [x, graph.scalar(50)])]) },
  Mod: { make: ({ graph, x }) => graph.node("Mod", [x, graph.scalar(0.7)], { fmod: 1 }) },
  "Cast-int32": { make: ({ graph, x }) => graph.node("Cast", [x], { to: 6 }), type: "int32" },
  "Cast-int64": { make: ({ graph, x }) => graph.node("Cast", [x], { to: 7 }), type: "int64" },
  "Cast-bool": { make: ({ graph, x }) => graph.node("Cast", [x], { to: 9 }), type: "bool" },
  MatMul: { make: ({ graph, x }) => graph.node("MatMul", [x, graph.weights([8, 5], 8)]) },
  "MatMul-steps": { dims: STEPS, make: ({ graph, x }) => graph.node("MatMul", [x, graph.weights([8, 5], 8)]) },
  "MatMul-own": {
    dims: STEPS,
    make: ({ graph, x }) => graph.node("MatMul", [x, graph.node("Transpose", [x], { perm: [0, 2, 1] })]),
  },
  Gemm: { make: ({ graph, x }) => graph.dense(x, 8, 5) },
  "Gemm-plain": { make: ({ graph, x }) => graph.node("Gemm", [x, graph.weights([8, 5], 8)]) },
  Einsum: { dims: STEPS, make: ({ graph, x }) => graph.node("Einsum", [x, x], { equation: "bij,bkj->bik" }) },
  Conv: { dims: IMAGE, make: ({ graph, x }) => graph.convolution(x, 2, 3) },
  "Conv-stride": {
    dims: IMAGE,
    make: ({ graph, x }) =>
      graph.node("Conv", [x, graph.weights([3, 2, 3, 3], 18)], { kernel_shape: [3, 3], strides: [2, 2] }),
  },
  "Conv-group": {
    dims: IMAGE,
    make: ({ graph, x }) => graph.node("Conv", [x, graph.weights([2, 1, 3, 3], 9)], { kernel_shape: [3, 3], group: 2 }),
  },
  "Conv-dilated": {
    dims: IMAGE,
    make: ({ graph, x }) =>
      graph.node("Conv", [x, graph.weights([3, 2, 2, 2], 8)], { kernel_shape: [2, 2], dilations: [2, 2] }),
  },
  "Conv-1x1": {
    dims: IMAGE,
    make: ({ graph, x }) => graph.node("Conv", [x, graph.weights([3, 2, 1, 1], 2)], { kernel_shape: [1, 1] }),
  },
  "Conv-1D": {
    dims: STEPS,
    make: ({ graph, x }) => graph.node("Conv", [x, graph.weights([3, 5, 3], 15)], { kernel_shape: [3] }),
  },
  ConvTranspose: {
    dims: IMAGE,
    make: ({ graph, x }) =>
      graph.node("ConvTranspose", [x, graph.weights([2, 3, 2, 2], 8)], { kernel_shape: [2, 2], strides: [2, 2] }),
  },
  BatchNormalization: {
    dims: IMAGE,
    make: ({ graph, x }) =>
      graph.node("BatchNormalization", [x, ...constants(graph, [1, 2], [0, 1], [0.1, 0.2], [1, 2])]),
  },
  InstanceNormalization: {
    dims: IMAGE,
    make: ({ graph, x }) => graph.node("InstanceNormalization", [x, ...constants(graph, [1, 2], [0, 1])]),
  },
  LayerNormalization: {
    dims: STEPS,
    make: ({ graph, x }) => graph.node("LayerNormalization", [x, graph.bias(8), graph.bias(8)]),
  },
  "com.microsoft.SkipLayerNormalization": {
    dims: STEPS,
    make: ({ graph, x }) => graph.node("com.microsoft.SkipLayerNormalization", [x, x, graph.bias(8), graph.bias(8)]),
  },
  "com.microsoft.SimplifiedLayerNormalization": {
    dims: STEPS,
    make: ({ graph, x }) => graph.node("com.microsoft.SkipSimplifiedLayerNormalization", [x, x, graph.bias(8)]),
  },
  "com.microsoft.BiasGelu": { make: ({ graph, x }) => graph.node("com.microsoft.BiasGelu", [x, graph.bias(8)]) },
  LpNormalization: { make: ({ graph, x }) => graph.node("LpNormalization", [x], { axis: 1 }) },
  LRN: { dims: IMAGE, make: ({ graph, x }) => graph.node("LRN", [x], { size: 3 }) },
  MeanVarianceNormalization: {
    dims: IMAGE,
    make: ({ graph, x }) => graph.node("MeanVarianceNormalization", [x], { axes: [1, 2, 3] }),
  },
  Reshape: { dims: STEPS, rank: 2, make: ({ graph, x }) => graph.node("Reshape", [x, graph.integers([-1, 40])]) },
  Unsqueeze: { rank: 3, make: ({ graph, x }) => graph.node("Unsqueeze", [x, graph.integers([1])]) },
  Squeeze: { dims: [1, 8], rank: 2, make: ({ graph, x }) => graph.node("Squeeze", [x, graph.integers([1])]) },
  Concat: { make: ({ graph, x }) => graph.node("Concat", [x, x], { axis: 1 }) },
  Split: { make: ({ graph, x }) => graph.nodeOf(2, "Split", [x, graph.integers([3, 5])], { axis: 1 })[1] ?? "" },
  Slice: {
    make: ({ graph, x }) => graph.node("Slice", [x, ...[1, 7, 1, 2].map((number) => graph.integers([number]))]),
  },
  "Slice-reversed": {
    make: ({ graph, x }) => graph.node("Slice", [x, ...[-1, -9, 1, -1].map((number) => graph.integers([number]))]),
  },
  Gather: { make: ({ graph, x }) => graph.node("Gather", [x, graph.integers([7, 0, 3])], { axis: 1 }) },
  GatherElements: { make: ({ graph, x }) => graph.node("GatherElements", [x, places(graph, x)], { axis: 1 }) },
  GatherND: {
    make: ({ graph, x }) =>
      graph.node(
        "Transpose",
        [
          graph.node("GatherND", [
            graph.node("Transpose", [x], { perm: [1, 0] }),
            graph.constant("int64", [3, 1], BigInt64Array.of(7n, 0n, 3n)),
          ]),
        ],
        { perm: [1, 0] },
      ),
  },
  ScatterElements: {
    make: ({ graph, x }) => graph.node("ScatterElements", [x, places(graph, x), graph.node("Neg", [x])], { axis: 1 }),
  },
  Tile: { make: ({ graph, x }) => graph.node("Tile", [x, graph.integers([1, 3])]) },
  Expand: { dims: [8, 1], make: ({ graph, x }) => graph.node("Expand", [x, graph.integers([1, 8, 3])]) },
  "Pad-constant": padded("constant"),
  "Pad-reflect": padded("reflect"),
  "Pad-edge": padded("edge"),
  CumSum: { make: ({ graph, x }) => graph.node("CumSum", [x, graph.constant("int64", [], BigInt64Array.of(1n))]) },
  "CumSum-reversed": {
    make: ({ graph, x }) =>
      graph.node("CumSum", [x, graph.constant("int64", [], BigInt64Array.of(1n))], { reverse: 1, exclusive: 1 }),
  },
  TopK: { make: ({ graph, x }) => graph.nodeOf(2, "TopK", [x, graph.integers([3])], { axis: 1 })[0] ?? "" },
  "TopK-places": {
    type: "int64",
    make: ({ graph, x }) => graph.nodeOf(2, "TopK", [x, graph.integers([3])], { axis: 1 })[1] ?? "",
  },
  Trilu: simple("Trilu", [8, 8], { upper: 0 }),
  "Trilu-upper": simple("Trilu", [8, 8]),
  OneHot: {
    rank: 3,
    make: ({ graph, x }) =>
      graph.node("OneHot", [
        graph.node("Cast", [graph.node("Abs", [x])], { to: 7 }),
        graph.integers([4]),
        graph.constant("float32", [2], Float32Array.of(0, 1)),
      ]),
  },
  "Resize-nearest": resized("nearest", "asymmetric"),
  "Resize-linear": resized("linear", "half_pixel"),
  "Resize-cubic": resized("cubic", "half_pixel"),
  "Resize-align": resized("linear", "align_corners"),
  Upsample: resized("nearest", "half_pixel"),
  GRU: recurrent("GRU", 3),
  LSTM: recurrent("LSTM", 4),
  RNN: recurrent("RNN", 1),
  QuantizeLinear: { type: "uint8", make: ({ graph, x }) => graph.node("QuantizeLinear", quantized(graph, x)) },
  DequantizeLinear: {
    make: ({ graph, x }) =>
      graph.node("DequantizeLinear", [
        graph.node("QuantizeLinear", quantized(graph, x)),
        ...quantized(graph, x).slice(1),
      ]),
  },
  DynamicQuantizeLinear: {
    type: "uint8",
    make: ({ graph, x }) => graph.nodeOf(3, "DynamicQuantizeLinear", [x])[0] ?? "",
  },
  "Add-size": {
    make: ({ graph, x }) =>
      graph.node("Add", [
        x,
        graph.node("Cast", [graph.node("Gather", [graph.node("Shape", [x]), graph.integers([0])])], { to: 1 }),
      ]),
  },
  "com.microsoft.MultiHeadAttention-8": attention(8),
  "com.microsoft.MultiHeadAttention-31": attention(31),
  "com.microsoft.MultiHeadAttention-33": attention(33),
  "com.microsoft.MultiHeadAttention-64": attention(64),
};

/** @returns {OperatorModel[]} */
export function operatorModels() {
  return Object.entries(operators()).map(([name, { dims = [8], type = "float32", rank = dims.length + 1, make }]) => {
    const graph = new GraphBuilder(name);
    const x = graph.input("x", "float32", ["batch", ...dims]);
    const free = Array.from({ length: rank - 1 }, () => null);
    graph.output(make({ graph, x }), "y", type, ["batch", ...free]);
    return { name, bytes: graph.build().bytes, dims };
  });
}

/** @returns {Record<string, Operator>} */
function operators() {
  return {
    ...named(UNARY, (opType) => simple(opType)),
    ...named(BINARY, (opType) => ({ make: ({ graph, x }) => graph.node(opType, [x, graph.bias(8)]) })),
    ...named(COMPARISONS, (opType) => ({
      type: "bool",
      make: ({ graph, x }) => graph.node(opType, [x, graph.scalar(0.1)]),
    })),
    ...named(REDUCTIONS, (opType) => reduced(opType, 1)),
    ...named(
      REDUCTIONS.map((opType) => `${opType}-last`),
      (name) => reduced(name.replace("-last", ""), 2),
    ),
    ...named(POOLS, (opType) =>
      simple(opType, IMAGE, opType.startsWith("Global") ? {} : { kernel_shape: [2, 2], strides: [2, 2] }),
    ),
    ...OTHERS,
  };
}

/** @param {readonly string[]} names @param {(name: string) => Operator} make @returns {Record<string, Operator>} */
function named(names, make) {
  return Object.fromEntries(names.map((name) => [name, make(name)]));
}

/** @param {string} opType @param {readonly number[]} [dims] @param {Attributes} [attributes] @param {number} [rank] @returns {Operator} */
function simple(opType, dims = [8], attributes = {}, rank = dims.length + 1) {
  return { dims, rank, make: ({ graph, x }) => graph.node(opType, [x], attributes) };
}

/** @param {string} opType @param {number} axis @returns {Operator} */
function reduced(opType, axis) {
  const make = (/** @type {Start} */ { graph, x }) =>
    opType === "ReduceSum"
      ? graph.node(opType, [x, graph.integers([axis])], { keepdims: 1 })
      : graph.node(opType, [x], { axes: [axis], keepdims: 1 });
  return { dims: STEPS, make };
}

/** @param {string} mode @returns {Operator} */
function padded(mode) {
  return {
    dims: IMAGE,
    make: ({ graph, x }) => graph.node("Pad", [x, graph.integers([0, 0, 1, 2, 0, 0, 2, 1])], { mode }),
  };
}

/** @param {string} mode @param {string} coordinates @returns {Operator} */
function resized(mode, coordinates) {
  const attributes = {
    mode,
    coordinate_transformation_mode: coordinates,
    ...(mode === "nearest" && { nearest_mode: "floor" }),
  };
  return {
    dims: IMAGE,
    make: ({ graph, x }) =>
      graph.node("Resize", [x, "", graph.constant("float32", [4], Float32Array.of(1, 1, 2, 1.5))], attributes),
  };
}

/** Runs over the steps of an item, and gives its last state. @param {string} opType @param {number} gates @returns {Operator} */
function recurrent(opType, gates) {
  const make = (/** @type {Start} */ { graph, x }) => {
    const steps = graph.node("Transpose", [x], { perm: [1, 0, 2] });
    const operands = [steps, graph.weights([1, 4 * gates, 8], 8), graph.weights([1, 4 * gates, 4], 4)];
    const state = graph.nodeOf(2, opType, operands, { hidden_size: 4 })[1] ?? "";
    return graph.node("Squeeze", [state, graph.integers([0])]);
  };
  return { dims: STEPS, rank: 2, make };
}

/** Attends with two heads of eight over the tokens of an item. @param {number} tokens @returns {Operator} */
function attention(tokens) {
  return {
    dims: [tokens, 16],
    make: ({ graph, x }) => graph.node("com.microsoft.MultiHeadAttention", [x, x, x], { num_heads: 2 }),
  };
}

/** @param {GraphBuilder} graph @param {string} x */
function compared(graph, x) {
  return [graph.node("Greater", [x, graph.scalar(0)]), graph.node("Less", [x, graph.scalar(0.5)])];
}

/** @param {GraphBuilder} graph @param {readonly number[][]} values */
function constants(graph, ...values) {
  return values.map((numbers) => graph.constant("float32", [numbers.length], Float32Array.from(numbers)));
}

/** Returns places on axis 1 that depend on the row, int64. @param {GraphBuilder} graph @param {string} x */
function places(graph, x) {
  return graph.nodeOf(2, "TopK", [x, graph.integers([8])], { axis: 1 })[1] ?? "";
}

/** @param {GraphBuilder} graph @param {string} x */
function quantized(graph, x) {
  return [x, graph.scalar(0.02), graph.constant("uint8", [], Uint8Array.of(128))];
}
