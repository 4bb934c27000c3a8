import { recipes } from "./recipes.mjs";
import { separateExtents } from "./separate-extents.mjs";
import { separateOnwards } from "./separate-onwards.mjs";

/**
 * Models whose rows do not affect each other, although their structure or numerical errors suggest it. The batch check
 * must pass them.
 *
 * @type {import("./recipes.mjs").Recipes}
 */
const withinTheRow = {
  "layer-norm": ({ x, graph }) => graph.node("LayerNormalization", [x, ones(graph, 8), graph.bias(8)]),
  standardise: ({ x, reduce, graph }) => {
    const centred = graph.node("Sub", [x, reduce("ReduceMean", x, [-1])]);
    const variance = reduce("ReduceMean", graph.node("Mul", [centred, centred]), [-1]);
    return graph.node("Div", [centred, graph.node("Sqrt", [graph.node("Add", [variance, graph.scalar(1e-5)])])]);
  },
  "unit-length": ({ x, graph }) => graph.node("LpNormalization", [x], { axis: 1 }),
  softmax: ({ x, graph }) => graph.node("Softmax", [x], { axis: -1 }),
  "log-softmax": ({ x, graph }) => graph.node("LogSoftmax", [x], { axis: 1 }),
  "softmax-turned": ({ x, turned, graph }) => turned(graph.node("Softmax", [turned(x)], { axis: 0 })),
  "sum-turned": ({ x, turned, reduce, graph }) => graph.node("Sub", [x, turned(reduce("ReduceSum", turned(x), [0]))]),
  "cumulative-sum": ({ x, graph }) => graph.node("CumSum", [x, graph.integers([1])]),
  sort: ({ x, graph }) => graph.nodeOf(2, "TopK", [x, graph.integers([8])], { axis: 1 })[0] ?? "",
  argmax: ({ x, graph }) => {
    const place = graph.node("ArgMax", [x], { axis: 1, keepdims: 1 });
    return graph.node("Add", [x, graph.node("Cast", [place], { to: 1 })]);
  },
  "threshold-of-largest": ({ x, reduce, graph }) => {
    const isLoud = graph.node("Greater", [reduce("ReduceMax", x, [1]), graph.scalar(20)]);
    return graph.node("Where", [isLoud, graph.node("Neg", [x]), x]);
  },
  "sign-of-sum": ({ x, reduce, graph }) => graph.node("Mul", [x, graph.node("Sign", [reduce("ReduceSum", x, [1])])]),
  reversed: ({ x, slice }) => slice(x, -1, -(2 ** 31), 1, -1),
  shift: ({ x, slice, graph }) => graph.node("Concat", [slice(x, -1, 2 ** 31, 1), slice(x, 0, -1, 1)], { axis: 1 }),
  "first-column": ({ x, graph }) => graph.node("Sub", [x, graph.node("Gather", [x, graph.integers([0])], { axis: 1 })]),
  quantised: ({ x, reduce, graph }) => {
    const peak = reduce("ReduceMax", graph.node("Abs", [x]), [1]);
    const scale = graph.node("Div", [graph.node("Max", [peak, graph.scalar(1e-9)]), graph.scalar(127)]);
    return graph.node("Mul", [graph.node("Round", [graph.node("Div", [x, scale])]), scale]);
  },
  "fixed-quantisation": ({ x, graph }) => {
    const [scale, zero] = [graph.scalar(0.1), graph.constant("uint8", [], Uint8Array.of(128))];
    const whole = graph.node("QuantizeLinear", [graph.dense(x, 8, 8), scale, zero]);
    return graph.node("DequantizeLinear", [whole, scale, zero]);
  },
  recurrence: ({ x, size, graph }) => {
    const line = graph.node("Unsqueeze", [x, graph.integers([0])]);
    const shape = graph.node("Concat", [graph.integers([1]), size(x), graph.integers([8])], { axis: 0 });
    const state = graph.node("Expand", [graph.scalar(0), shape]);
    const weights = [graph.weights([1, 24, 8], 8), graph.weights([1, 24, 8], 8)];
    const steps = graph.node("GRU", [line, ...weights, "", "", state], { hidden_size: 8 });
    return graph.node("Squeeze", [steps, graph.integers([0, 1])]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const alongAnotherAxis = {
  "two-heads-averaged": ({ x, reduce, graph }) => {
    const heads = [0, 1].map(() => graph.node("Unsqueeze", [graph.dense(x, 8, 8), graph.integers([0])]));
    const both = graph.node("Concat", heads, { axis: 0 });
    return graph.node("Squeeze", [reduce("ReduceMean", both, [0]), graph.integers([0])]);
  },
  "weights-normalised": ({ x, graph }) => {
    const shares = graph.node("Softmax", [graph.weights([8, 8], 8)], { axis: 0 });
    return graph.node("MatMul", [x, shares]);
  },
  "folded-softmax": ({ x, graph }) => {
    const pairs = graph.node("Softmax", [graph.node("Reshape", [x, graph.integers([-1, 2])])], { axis: 1 });
    return graph.node("Reshape", [pairs, graph.integers([-1, 8])]);
  },
  "reshaped-by-its-shape": ({ x, graph }) => {
    const flat = graph.node("Reshape", [graph.node("Tanh", [x]), graph.integers([-1])]);
    return graph.node("Reshape", [flat, graph.node("Shape", [x])]);
  },
  "unused-mean": ({ x, reduce, graph }) => {
    reduce("ReduceMean", x, [0]);
    return graph.node("Tanh", [x]);
  },
  "size-of-mean": ({ x, reduce, graph }) => {
    const shape = graph.node("Shape", [reduce("ReduceMean", x, [0])]);
    return graph.node("Mul", [x, graph.node("Cast", [graph.node("Gather", [shape, graph.integers([1])])], { to: 1 })]);
  },
  "row-by-row-product": ({ x, graph }) => {
    const [line, column] = [[1], [2]].map((axes) => graph.node("Unsqueeze", [x, graph.integers(axes)]));
    const product = graph.node("MatMul", [line ?? "", column ?? ""]);
    return graph.node("Mul", [x, graph.node("Squeeze", [product, graph.integers([2])])]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const hardToCompute = {
  "peak-of-row": {
    dims: [16_000],
    result: [8],
    make: ({ x, reduce, graph }) => {
      const peak = reduce("ReduceMax", graph.node("Abs", [x]), [1]);
      return graph.dense(graph.node("Div", [x, peak]), 16_000, 8);
    },
  },
  "large-range": {
    make: ({ x, graph }) => {
      const scales = Float32Array.from({ length: 8 }, (_, index) => 10 ** (-6 + (12 * index) / 7));
      return graph.node("Mul", [graph.dense(x, 8, 8), graph.constant("float32", [8], scales)]);
    },
  },
  cancellation: ({ x, graph }) => {
    const large = graph.node("Add", [graph.dense(x, 8, 8), graph.scalar(1e4)]);
    return graph.node("Sub", [large, graph.scalar(1e4)]);
  },
  "difference-of-products": ({ x, graph }) => {
    const [first, second] = [graph.weights([8, 64], 8), graph.weights([64, 8], 64)];
    const left = graph.node("MatMul", [graph.node("MatMul", [x, first]), second]);
    const right = graph.node("MatMul", [x, graph.node("MatMul", [first, second])]);
    return graph.node("Add", [graph.node("Sub", [left, right]), graph.node("Mul", [x, graph.scalar(1e-6)])]);
  },
  "deep-chain": ({ x, graph }) => {
    let value = graph.dense(x, 8, 64);
    for (let layer = 0; layer < 24; layer++) value = graph.dense(graph.node("Tanh", [value]), 64, 64);
    return graph.dense(value, 64, 8);
  },
  "chaotic-chain": ({ x, graph }) => {
    let value = graph.dense(x, 8, 64);
    for (let layer = 0; layer < 12; layer++) {
      value = graph.dense(graph.node("Tanh", [graph.node("Mul", [value, graph.scalar(3)])]), 64, 64);
    }
    return graph.dense(value, 64, 8);
  },
  "steep-sigmoid": ({ x, graph }) =>
    graph.node("Sigmoid", [graph.node("Mul", [graph.dense(x, 8, 8), graph.scalar(1e4)])]),
  "sharp-softmax": ({ x, graph }) =>
    graph.node("Softmax", [graph.node("Mul", [graph.dense(x, 8, 8), graph.scalar(30)])], { axis: 1 }),
  overflow: ({ x, graph }) => graph.node("Exp", [graph.node("Mul", [x, graph.scalar(3)])]),
  logarithm: ({ x, graph }) => graph.node("Log", [x]),
  "logarithm-of-sum": ({ x, graph }) => graph.dense(graph.node("Log", [x]), 8, 8),
  reciprocal: ({ x, graph }) => graph.node("Reciprocal", [x]),
  rounded: ({ x, graph }) => graph.node("Round", [graph.node("Mul", [graph.dense(x, 8, 8), graph.scalar(10)])]),
  "long-sum": {
    dims: [4096],
    result: [4],
    make: ({ x, graph }) => graph.dense(x, 4096, 4),
  },
  "argmax-of-ties": {
    result: [1],
    resultType: "int64",
    make: ({ x, graph }) => graph.node("ArgMax", [graph.node("Concat", [x, x], { axis: 1 })], { axis: 1 }),
  },
  "labels-of-many": {
    dims: [64],
    result: [500],
    resultType: "int64",
    make: ({ x, graph }) => {
      const scores = graph.node("Reshape", [graph.dense(x, 64, 1500), graph.integers([-1, 500, 3])]);
      return graph.node("ArgMax", [scores], { axis: 2, keepdims: 0 });
    },
  },
  "coordinates-and-score": {
    dims: [64],
    result: [5],
    make: ({ x, graph }) => {
      const places = graph.node("Mul", [graph.node("Sigmoid", [graph.dense(x, 64, 4)]), graph.scalar(640)]);
      return graph.node("Concat", [places, graph.node("Sigmoid", [graph.dense(x, 64, 1)])], { axis: 1 });
    },
  },
  "half-layers": {
    type: "float16",
    make: ({ x, graph }) => {
      const wide = graph.node("Cast", [x], { to: 1 });
      const hidden = graph.node("Cast", [graph.dense(wide, 8, 64)], { to: 10 });
      const active = graph.node("Cast", [graph.node("Tanh", [hidden])], { to: 1 });
      return graph.node("Cast", [graph.dense(active, 64, 8)], { to: 10 });
    },
  },
  "half-softmax": { type: "float16", make: ({ x, graph }) => graph.node("Softmax", [x], { axis: 1 }) },
  "whole-numbers": {
    type: "int64",
    make: ({ x, reduce, graph }) => graph.node("Sub", [x, reduce("ReduceMax", x, [1])]),
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const networks = {
  convolutions: {
    dims: [3, 8, 8],
    result: [4],
    make: ({ x, graph }) => {
      const hidden = graph.node("Relu", [graph.convolution(x, 3, 8)]);
      const pooled = graph.node("MaxPool", [hidden], { kernel_shape: [2, 2], strides: [2, 2] });
      const deep = graph.node("Relu", [graph.convolution(pooled, 8, 8)]);
      return graph.dense(graph.node("Flatten", [graph.node("GlobalAveragePool", [deep])]), 8, 4);
    },
  },
  "instance-norm": {
    dims: [3, 8, 8],
    make: ({ x, graph }) => graph.node("InstanceNormalization", [x, ones(graph, 3), graph.bias(3)]),
  },
  "group-norm": {
    dims: [4, 8, 8],
    make: ({ x, graph }) => {
      const groups = graph.node("Reshape", [x, graph.integers([0, 2, -1])]);
      const normal = graph.node("InstanceNormalization", [groups, ones(graph, 2), graph.bias(2)]);
      return graph.node("Reshape", [normal, graph.integers([-1, 4, 8, 8])]);
    },
  },
  "mean-variance": {
    dims: [3, 8, 8],
    make: ({ x, graph }) => graph.node("MeanVarianceNormalization", [x], { axes: [1, 2, 3] }),
  },
  "global-max": {
    dims: [3, 8, 8],
    result: [3, 1, 1],
    make: ({ x, graph }) => graph.node("GlobalMaxPool", [x]),
  },
  "local-response": { dims: [3, 8, 8], make: ({ x, graph }) => graph.node("LRN", [x], { size: 3 }) },
  attention: {
    dims: [5, 8],
    make: ({ x, graph }) => graph.node("Add", [x, attention(graph, x)]),
  },
  "attention-by-einsum": {
    dims: [5, 8],
    make: ({ x, graph }) => {
      const products = graph.node("Einsum", [x, x], { equation: "nid,njd->nij" });
      return graph.node("Einsum", [graph.node("Softmax", [products], { axis: -1 }), x], { equation: "nij,njd->nid" });
    },
  },
  transformer: {
    type: "int64",
    dims: [6],
    result: [6, 8],
    resultType: "float32",
    make: ({ x, graph }) => {
      const embedded = graph.node("Gather", [graph.weights([50, 8], 6), x]);
      const seen = graph.node("Add", [embedded, attention(graph, embedded)]);
      const normal = graph.node("LayerNormalization", [seen, ones(graph, 8), graph.bias(8)]);
      const hidden = graph.node("Relu", [graph.node("MatMul", [normal, graph.weights([8, 32], 8)])]);
      return graph.node("Add", [normal, graph.node("MatMul", [hidden, graph.weights([32, 8], 32)])]);
    },
  },
  "recurrence-over-time": {
    dims: [5, 8],
    result: [8],
    make: ({ x, graph }) => {
      const time = graph.node("Transpose", [x], { perm: [1, 0, 2] });
      const weights = [graph.weights([1, 32, 8], 8), graph.weights([1, 32, 8], 8)];
      const [, last = ""] = graph.nodeOf(2, "LSTM", [time, ...weights], { hidden_size: 8 });
      return graph.node("Squeeze", [last, graph.integers([0])]);
    },
  },
  "mean-over-time": {
    dims: [5, 8],
    result: [8],
    make: ({ x, graph }) => graph.node("ReduceMean", [x], { axes: [1], keepdims: 0 }),
  },
  "peak-of-sound": {
    dims: [1, 800],
    result: [4, 5],
    make: ({ x, reduce, graph }) => {
      const peak = reduce("ReduceMax", graph.node("Abs", [x]), [2]);
      const level = graph.node("Div", [x, graph.node("Max", [peak, graph.scalar(1e-8)])]);
      return graph.node("Conv", [level, graph.weights([4, 1, 400], 400)], { kernel_shape: [400], strides: [100] });
    },
  },
};

/**
 * Adds attention with one head over [batch, steps, 8].
 *
 * @param {import("./graph.mjs").GraphBuilder} graph
 * @param {string} x
 */
function attention(graph, x) {
  const [queries = "", keys = "", values = ""] = [1, 2, 3].map(() =>
    graph.node("MatMul", [x, graph.weights([8, 8], 16)]),
  );
  const products = graph.node("MatMul", [queries, graph.node("Transpose", [keys], { perm: [0, 2, 1] })]);
  return graph.node("MatMul", [graph.node("Softmax", [products], { axis: -1 }), values]);
}

/** @param {import("./graph.mjs").GraphBuilder} graph @param {number} count */
function ones(graph, count) {
  return graph.constant("float32", [count], new Float32Array(count).fill(1));
}

const FIXED = `softmax sort quantised recurrence folded-softmax reshaped-by-its-shape peak-of-row large-range deep-chain
  coordinates-and-score half-layers labels-of-many convolutions group-norm attention transformer recurrence-over-time`;

export const separateModels = recipes(
  "separate",
  { ...withinTheRow, ...alongAnotherAxis, ...hardToCompute, ...networks, ...separateOnwards, ...separateExtents },
  FIXED.split(/\s+/),
);
