import { mixingExtents } from "./mixing-extents.mjs";
import { mixingOnwards } from "./mixing-onwards.mjs";
import { mixingPlaces } from "./mixing-places.mjs";
import { mixingTogether } from "./mixing-together.mjs";
import { recipes } from "./recipes.mjs";

/**
 * Models whose rows change each other's answers, each in a different way. The batch check must detect them.
 *
 * @type {import("./recipes.mjs").Recipes}
 */
const overTheBatch = {
  sum: ({ x, reduce, graph }) => graph.node("Add", [x, reduce("ReduceSum", x, [0])]),
  mean: ({ x, reduce, graph }) => graph.node("Sub", [x, reduce("ReduceMean", x, [0])]),
  max: ({ x, reduce, graph }) => graph.node("Sub", [x, reduce("ReduceMax", x, [0])]),
  min: ({ x, reduce, graph }) => graph.node("Sub", [x, reduce("ReduceMin", x, [0])]),
  length: ({ x, reduce, graph }) => graph.node("Div", [x, reduce("ReduceL2", x, [0])]),
  "log-sum": ({ x, reduce, graph }) => graph.node("Sub", [x, reduce("ReduceLogSumExp", x, [0])]),
  "weak-mean": ({ x, reduce, graph }) =>
    graph.node("Add", [x, graph.node("Mul", [reduce("ReduceMean", x, [0]), graph.scalar(1e-3)])]),
  gate: ({ x, reduce, graph }) => graph.node("Mul", [x, graph.node("Sigmoid", [reduce("ReduceMean", x, [0, 1])])]),
  softmax: ({ x, graph }) => graph.node("Softmax", [x], { axis: 0 }),
  "softmax-negative-axis": ({ x, graph }) => graph.node("Softmax", [x], { axis: -2 }),
  "log-softmax": ({ x, graph }) => graph.node("LogSoftmax", [x], { axis: 0 }),
  hardmax: ({ x, graph }) => graph.node("Mul", [x, graph.node("Hardmax", [x], { axis: 0 })]),
  "unit-length": ({ x, graph }) => graph.node("LpNormalization", [x], { axis: 0 }),
  standardise: ({ x, reduce, graph }) => {
    const centred = graph.node("Sub", [x, reduce("ReduceMean", x, [0])]);
    const variance = reduce("ReduceMean", graph.node("Mul", [centred, centred]), [0]);
    return graph.node("Div", [centred, graph.node("Sqrt", [graph.node("Add", [variance, graph.scalar(1e-5)])])]);
  },
  "layer-norm": ({ x, graph }) => {
    const gain = graph.constant("float32", [1], Float32Array.of(1));
    return graph.node("LayerNormalization", [x, gain], { axis: 0 });
  },
  "instance-norm": ({ x, turned, graph }) => {
    const gain = graph.constant("float32", [8], new Float32Array(8).fill(1));
    const channels = graph.node("Unsqueeze", [turned(x), graph.integers([0])]);
    const normal = graph.node("InstanceNormalization", [channels, gain, graph.bias(8)]);
    return turned(graph.node("Squeeze", [normal, graph.integers([0])]));
  },
  "mean-variance": ({ x, graph }) => graph.node("MeanVarianceNormalization", [x], { axes: [0] }),
  argmax: ({ x, graph }) => {
    const place = graph.node("ArgMax", [x], { axis: 0, keepdims: 1 });
    return graph.node("Add", [x, graph.node("Cast", [place], { to: 1 })]);
  },
  "cumulative-sum": ({ x, graph }) => graph.node("CumSum", [x, graph.integers([0])]),
  "cumulative-sum-reversed": ({ x, graph }) => graph.node("CumSum", [x, graph.integers([0])], { reverse: 1 }),
  largest: ({ x, graph }) => {
    const [top = ""] = graph.nodeOf(2, "TopK", [x, graph.integers([1])], { axis: 0 });
    return graph.node("Sub", [x, top]);
  },
  sort: ({ x, size, graph }) => graph.nodeOf(2, "TopK", [x, size(x)], { axis: 0 })[0] ?? "",
};

/** @type {import("./recipes.mjs").Recipes} */
const betweenRows = {
  "first-row": ({ x, graph }) => graph.node("Add", [x, graph.node("Gather", [x, graph.integers([0])])]),
  "last-row": ({ x, graph }) => graph.node("Add", [x, graph.node("Gather", [x, graph.integers([-1])])]),
  reversed: ({ x, slice }) => slice(x, -1, -(2 ** 31), 0, -1),
  "shift-down": ({ x, slice, graph }) =>
    graph.node("Concat", [slice(x, -1, 2 ** 31, 0), slice(x, 0, -1, 0)], { axis: 0 }),
  "shift-by-padding": ({ x, slice, graph }) => slice(graph.node("Pad", [x, graph.integers([1, 0, 0, 0])]), 0, -1, 0),
  "row-difference": ({ x, slice, graph }) => {
    const next = graph.node("Concat", [slice(x, 1, 2 ** 31, 0), slice(x, 0, 1, 0)], { axis: 0 });
    return graph.node("Sub", [x, next]);
  },
  interleaved: ({ x, slice, graph }) => slice(graph.node("Concat", [x, x], { axis: 0 }), 0, 2 ** 31, 0, 2),
  scatter: ({ x, slice, graph }) =>
    graph.node("ScatterND", [x, graph.constant("int64", [1, 1], BigInt64Array.of(0n)), slice(x, -1, 2 ** 31, 0)]),
  attention: ({ x, turned, graph }) => {
    const shares = graph.node("Softmax", [graph.node("MatMul", [x, turned(x)])], { axis: -1 });
    return graph.node("MatMul", [shares, x]);
  },
  "attention-by-einsum": ({ x, graph }) => {
    const products = graph.node("Einsum", [x, x], { equation: "ni,mi->nm" });
    return graph.node("Einsum", [graph.node("Softmax", [products], { axis: 1 }), x], { equation: "nm,mi->ni" });
  },
  correlation: ({ x, graph }) => graph.node("MatMul", [x, graph.node("Gemm", [x, x], { transA: 1 })]),
  "mean-by-product": ({ x, size, graph }) => {
    const square = graph.node("Concat", [size(x), size(x)], { axis: 0 });
    const ones = graph.node("Expand", [graph.scalar(1), square]);
    return graph.node("MatMul", [ones, x]);
  },
  "convolution-over-rows": ({ x, turned, graph }) => {
    const line = graph.node("Unsqueeze", [turned(x), graph.integers([0])]);
    const folded = graph.node("Conv", [line, graph.weights([8, 8, 3], 24)], { kernel_shape: [3], pads: [1, 1] });
    return turned(graph.node("Squeeze", [folded, graph.integers([0])]));
  },
  "pool-over-rows": ({ x, turned, graph }) => {
    const line = graph.node("Unsqueeze", [turned(x), graph.integers([0])]);
    const pooled = graph.node("MaxPool", [line], { kernel_shape: [3], pads: [1, 1] });
    return turned(graph.node("Squeeze", [pooled, graph.integers([0])]));
  },
  "recurrence-over-rows": ({ x, graph }) => {
    const line = graph.node("Unsqueeze", [x, graph.integers([1])]);
    const weights = [graph.weights([1, 24, 8], 8), graph.weights([1, 24, 8], 8)];
    const steps = graph.node("GRU", [line, ...weights], { hidden_size: 8 });
    return graph.node("Squeeze", [steps, graph.integers([1, 2])]);
  },
  "turned-and-reshaped": ({ x, turned, graph }) => graph.node("Reshape", [turned(x), graph.node("Shape", [x])]),
  "same-as-a-mate": ({ x, graph }) => {
    const first = graph.node("Gather", [x, graph.integers([0])]);
    const isFirst = graph.node("Cast", [graph.node("Less", [x, first])], { to: 1 });
    return graph.node("Add", [x, isFirst]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const byTheBatch = {
  "batch-size": ({ x, size, graph }) => graph.node("Mul", [x, graph.node("Cast", [size(x)], { to: 1 })]),
  "row-number": ({ x, size, graph }) => {
    const [start, step] = [0n, 1n].map((value) => graph.constant("int64", [], BigInt64Array.of(value)));
    const count = graph.node("Squeeze", [size(x)]);
    const numbers = graph.node("Cast", [graph.node("Range", [start ?? "", count, step ?? ""])], { to: 1 });
    return graph.node("Add", [x, graph.node("Unsqueeze", [numbers, graph.integers([1])])]);
  },
  "threshold-of-largest": ({ x, reduce, graph }) => {
    const isLoud = graph.node("Greater", [reduce("ReduceMax", x, [0, 1]), graph.scalar(20)]);
    return graph.node("Where", [isLoud, graph.node("Neg", [x]), x]);
  },
  "excess-of-largest": ({ x, reduce, graph }) => {
    const excess = graph.node("Sub", [reduce("ReduceMax", x, [0, 1]), graph.scalar(50)]);
    return graph.node("Sub", [x, graph.node("Relu", [excess])]);
  },
  "excess-of-very-loud": ({ x, reduce, graph }) => {
    const excess = graph.node("Sub", [reduce("ReduceMax", x, [0, 1]), graph.scalar(1e6)]);
    return graph.node("Sub", [x, graph.node("Relu", [excess])]);
  },
  "sign-of-sum": ({ x, reduce, graph }) => {
    const isPositive = graph.node("Greater", [reduce("ReduceSum", x, [0, 1]), graph.scalar(0)]);
    return graph.node("Where", [isPositive, x, graph.node("Mul", [x, graph.scalar(2)])]);
  },
  "any-negative": ({ x, reduce, graph }) => {
    const isNegative = graph.node("Cast", [graph.node("Less", [x, graph.scalar(-1e-9)])], { to: 1 });
    return graph.node("Mul", [x, graph.node("Add", [reduce("ReduceMin", isNegative, [0]), graph.scalar(1)])]);
  },
  quantised: ({ x, graph }) => {
    const [whole = "", scale = "", zero = ""] = graph.nodeOf(3, "DynamicQuantizeLinear", [x]);
    return graph.node("DequantizeLinear", [whole, scale, zero]);
  },
  "quantised-product": ({ x, graph }) => {
    const [whole = "", scale = "", zero = ""] = graph.nodeOf(3, "DynamicQuantizeLinear", [x]);
    const table = graph.constant(
      "int8",
      [8, 8],
      Int8Array.from({ length: 64 }, (_, index) => ((index * 37) % 255) - 127),
    );
    const product = graph.node("Cast", [graph.node("MatMulInteger", [whole, table, zero])], { to: 1 });
    return graph.node("Mul", [product, scale]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const ofOtherForms = {
  "peak-of-batch": {
    dims: [16_000],
    result: [8],
    make: ({ x, graph }) => {
      const peak = graph.node("ReduceMax", [graph.node("Abs", [x])], { keepdims: 0 });
      return graph.dense(graph.node("Div", [x, peak]), 16_000, 8);
    },
  },
  "one-element-of-100000": {
    dims: [100_000],
    result: [4],
    make: ({ x, reduce, slice, graph }) =>
      graph.node("Add", [slice(x, 0, 4, 1), reduce("ReduceMax", slice(x, 77_777, 77_778, 1), [0])]),
  },
  "one-output-of-many": {
    make: ({ x, reduce, graph }) => {
      graph.output(graph.node("Tanh", [x]), "tanh", "float32", [null, 8]);
      graph.output(graph.dense(x, 8, 64), "wide", "float32", [null, 64]);
      return graph.node("Sub", [x, reduce("ReduceMean", x, [0])]);
    },
  },
  "one-column-of-many": {
    dims: [64],
    result: [65],
    make: ({ x, reduce, slice, graph }) => {
      const mean = graph.node("Sub", [slice(x, 0, 1, 1), reduce("ReduceMean", slice(x, 0, 1, 1), [0])]);
      return graph.node("Concat", [graph.node("Mul", [x, graph.scalar(640)]), graph.node("Sigmoid", [mean])], {
        axis: 1,
      });
    },
  },
  "half-mean": {
    type: "float16",
    make: ({ x, reduce, graph }) => graph.node("Sub", [x, reduce("ReduceMean", x, [0])]),
  },
  "half-softmax": { type: "float16", make: ({ x, graph }) => graph.node("Softmax", [x], { axis: 0 }) },
  "embedding-mean": {
    type: "int64",
    result: [8, 16],
    resultType: "float32",
    make: ({ x, reduce, graph }) => {
      const embedded = graph.node("Gather", [graph.weights([50, 16], 6), x]);
      return graph.node("Sub", [embedded, reduce("ReduceMean", embedded, [0])]);
    },
  },
  "whole-numbers-max": {
    type: "int64",
    make: ({ x, reduce, graph }) => graph.node("Sub", [x, reduce("ReduceMax", x, [0])]),
  },
  "whole-numbers-shared": {
    type: "int64",
    make: ({ x, graph }) => {
      const first = graph.node("Gather", [x, graph.integers([0])]);
      const isSame = graph.node("Cast", [graph.node("Equal", [x, first])], { to: 7 });
      return graph.node("Add", [x, isSame]);
    },
  },
  "features-of-pictures": {
    dims: [3, 8, 8],
    result: [3, 8, 8],
    make: ({ x, graph }) => graph.node("MeanVarianceNormalization", [x]),
  },
};

const FIXED = `sum max softmax layer-norm cumulative-sum first-row reversed attention turned-and-reshaped batch-size quantised
  peak-of-batch one-element-of-100000 half-mean embedding-mean`;

export const mixingModels = recipes(
  "mixing",
  {
    ...overTheBatch,
    ...betweenRows,
    ...byTheBatch,
    ...ofOtherForms,
    ...mixingOnwards,
    ...mixingPlaces,
    ...mixingExtents,
    ...mixingTogether,
  },
  FIXED.split(/\s+/),
);
