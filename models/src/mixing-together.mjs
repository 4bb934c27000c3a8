/**
 * Recipes that contract, compare or normalise rows, or that depend on their number. `x` is float32 [batch, 8].
 *
 * @type {import("./recipes.mjs").Recipes}
 */
const contracted = {
  "contracted-by-einsum": ({ x, graph }) => {
    const between = graph.node("Einsum", [x, x], { equation: "ni,nj->ij" });
    return graph.node("MatMul", [x, between]);
  },
  "contracted-by-matmul": ({ x, turned, graph }) => graph.node("MatMul", [x, graph.node("MatMul", [turned(x), x])]),
  "summed-by-einsum": ({ x, graph }) => graph.node("Add", [x, graph.node("Einsum", [x], { equation: "ni->i" })]),
  "products-of-pairs": ({ x, turned, graph }) =>
    graph.node("MatMul", [graph.node("MatMul", [x, turned(x)]), graph.node("Tanh", [x])]),
  "fused-product": ({ x, graph }) => {
    const between = graph.node("com.microsoft.FusedMatMul", [x, x], { transA: 1 });
    return graph.node("MatMul", [x, between]);
  },
  "distance-of-pairs": ({ x, graph }) => {
    const [one, other] = [1, 0].map((axis) => graph.node("Unsqueeze", [x, graph.integers([axis])]));
    const apart = graph.node("Abs", [graph.node("Sub", [one ?? "", other ?? ""])]);
    return graph.node("ReduceMax", [apart], { axes: [1], keepdims: 0 });
  },
  "quantised-by-the-batch": ({ x, graph }) => {
    const table = graph.constant(
      "int8",
      [8, 8],
      Int8Array.from({ length: 64 }, (_, index) => ((index * 37) % 255) - 127),
    );
    return graph.node("com.microsoft.DynamicQuantizeMatMul", [x, table, graph.scalar(0.01)]);
  },
  "rows-as-channels": ({ x, graph }) => {
    const rows = graph.node("Unsqueeze", [x, graph.integers([0, 3])]);
    const normal = graph.node("LRN", [graph.node("Mul", [rows, graph.scalar(100)])], { size: 3 });
    return graph.node("Squeeze", [normal, graph.integers([0, 3])]);
  },
  "average-over-rows": ({ x, turned, graph }) => {
    const line = graph.node("Unsqueeze", [turned(x), graph.integers([0])]);
    const pooled = graph.node("AveragePool", [line], { kernel_shape: [3], pads: [1, 1] });
    return turned(graph.node("Squeeze", [pooled, graph.integers([0])]));
  },
  "lstm-over-rows": ({ x, graph }) => {
    const line = graph.node("Unsqueeze", [x, graph.integers([1])]);
    const weights = [graph.weights([1, 32, 8], 8), graph.weights([1, 32, 8], 8)];
    return graph.node("Squeeze", [graph.node("LSTM", [line, ...weights], { hidden_size: 8 }), graph.integers([1, 2])]);
  },
  "rnn-over-rows": ({ x, graph }) => {
    const line = graph.node("Unsqueeze", [x, graph.integers([1])]);
    const weights = [graph.weights([1, 8, 8], 8), graph.weights([1, 8, 8], 8)];
    return graph.node("Squeeze", [graph.node("RNN", [line, ...weights], { hidden_size: 8 }), graph.integers([1, 2])]);
  },
  "frequencies-over-rows": ({ x, slice, graph }) => {
    const real = graph.node("Unsqueeze", [x, graph.integers([2])]);
    const bins = graph.node("DFT", [real], { axis: 0 });
    return graph.node("Squeeze", [slice(bins, 0, 1, 2), graph.integers([2])]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const normalised = {
  "batch-norm-in-training": ({ x, graph }) => {
    const [ones, zeros] = [1, 0].map((value) => graph.constant("float32", [8], new Float32Array(8).fill(value)));
    const inputs = [x, ones ?? "", zeros ?? "", zeros ?? "", ones ?? ""];
    return graph.nodeOf(3, "BatchNormalization", inputs, { training_mode: 1 })[0] ?? "";
  },
  "flat-softmax": ({ x, graph }) => {
    const flat = graph.node("Reshape", [x, graph.integers([1, -1])]);
    return graph.node("Reshape", [graph.node("Softmax", [flat], { axis: 1 }), graph.node("Shape", [x])]);
  },
  "sum-of-squares": ({ x, reduce, graph }) => graph.node("Div", [x, reduce("ReduceSumSquare", x, [0])]),
  "sum-of-sizes": ({ x, reduce, graph }) => graph.node("Div", [x, reduce("ReduceL1", x, [0, 1])]),
  product: ({ x, reduce, graph }) => graph.node("Add", [x, graph.node("Tanh", [reduce("ReduceProd", x, [0])])]),
  "log-of-sum": ({ x, reduce, graph }) =>
    graph.node("Sub", [x, reduce("ReduceLogSum", graph.node("Exp", [graph.node("Tanh", [x])]), [0])]),
  "negative-axis": ({ x, reduce, graph }) => graph.node("Sub", [x, reduce("ReduceMax", x, [-2])]),
  "scaled-and-normalised": ({ x, reduce, graph }) => {
    const scaled = graph.node("Div", [x, reduce("ReduceMax", graph.node("Abs", [x]), [0, 1])]);
    const norm = graph.node("Add", [reduce("ReduceL2", scaled, [1]), graph.scalar(0.01)]);
    return graph.node("Div", [scaled, norm]);
  },
  "exclusive-cumulative-sum": ({ x, graph }) => graph.node("CumSum", [x, graph.integers([0])], { exclusive: 1 }),
  "count-of-loud-rows": ({ x, reduce, graph }) => {
    const isLoud = graph.node("Cast", [graph.node("Greater", [reduce("ReduceMax", x, [1]), graph.scalar(20)])], {
      to: 1,
    });
    return graph.node("Add", [x, reduce("ReduceSum", isLoud, [0])]);
  },
  "flag-of-any": ({ x, reduce, graph }) => {
    const flags = graph.node("Cast", [graph.node("Greater", [x, graph.scalar(20)])], { to: 6 });
    const any = graph.node("Cast", [reduce("ReduceMax", flags, [0, 1])], { to: 9 });
    return graph.node("Where", [any, graph.node("Abs", [x]), x]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const counted = {
  "share-of-size": ({ x, size, graph }) => graph.node("Div", [x, graph.node("Cast", [size(x)], { to: 1 })]),
  "power-of-size": ({ x, size, graph }) => {
    const count = graph.node("Cast", [size(x)], { to: 1 });
    return graph.node("Mul", [x, graph.node("Pow", [graph.scalar(0.5), count])]);
  },
  "last-row-marked": ({ x, size, graph }) => {
    const zero = graph.constant("int64", [], BigInt64Array.of(0n));
    const one = graph.constant("int64", [], BigInt64Array.of(1n));
    const count = graph.node("Squeeze", [size(x)]);
    const places = graph.node("Range", [zero, count, one]);
    const isLast = graph.node("Equal", [places, graph.node("Sub", [count, one])]);
    const mark = graph.node("Unsqueeze", [graph.node("Cast", [isLast], { to: 1 }), graph.integers([1])]);
    return graph.node("Add", [x, mark]);
  },
  "branch-by-size": ({ x, size, graph }) => {
    const isBatch = graph.node("Greater", [size(x), graph.integers([1])]);
    return graph.node("Where", [isBatch, graph.node("Neg", [x]), x]);
  },
  "marked-from-four-rows-on": ({ x, size, graph }) => {
    const isLarge = graph.node("Cast", [graph.node("GreaterOrEqual", [size(x), graph.integers([4])])], { to: 1 });
    return graph.node("Add", [x, isLarge]);
  },
  "marked-from-nine-rows-on": ({ x, size, graph }) => {
    const isLarge = graph.node("Cast", [graph.node("GreaterOrEqual", [size(x), graph.integers([9])])], { to: 1 });
    return graph.node("Add", [x, isLarge]);
  },
  "from-four-rows-on": ({ x, size, reduce, graph }) => {
    const isLarge = graph.node("GreaterOrEqual", [size(x), graph.integers([4])]);
    return graph.node("Where", [isLarge, graph.node("Sub", [x, reduce("ReduceMean", x, [0])]), x]);
  },
};

export const mixingTogether = { ...contracted, ...normalised, ...counted };
