import { branch, loop, melOf } from "./mixing-onwards.mjs";

/**
 * Recipes in which a value of one row flows on into a bound, a condition, a shape or an index of the same row, and the
 * counterparts of mixing ones within the row. `x` is float32 [batch, 8].
 *
 * @type {import("./recipes.mjs").Recipes}
 */
const withinBounds = {
  "floor-of-row": ({ x, reduce, graph }) =>
    graph.node("Max", [x, graph.node("Sub", [reduce("ReduceMax", x, [1]), graph.scalar(8)])]),
  "fixed-bounds": ({ x, graph }) => graph.node("Clip", [x, graph.scalar(-2), graph.scalar(2)]),
  "mel-spectrogram": {
    dims: [2000],
    result: [11, 8],
    make: ({ x, reduce, graph }) => {
      const { decibels } = melOf(graph, x);
      const floor = graph.node("Sub", [reduce("ReduceMax", decibels, [1, 2]), graph.scalar(80)]);
      return graph.node("Max", [decibels, floor]);
    },
  },
  "condition-of-row": ({ x, reduce, graph }) => {
    const isLoud = graph.node("Greater", [reduce("ReduceMean", graph.node("Abs", [x]), [1]), graph.scalar(2)]);
    return graph.node("Where", [isLoud, graph.node("Tanh", [x]), x]);
  },
  "batch-norm": ({ x, graph }) => {
    const [ones, zeros] = [1, 0].map((value) => graph.constant("float32", [8], new Float32Array(8).fill(value)));
    return graph.node("BatchNormalization", [x, ones ?? "", zeros ?? "", zeros ?? "", ones ?? ""]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const withinControl = {
  "branch-of-a-constant": ({ x, reduce, graph }) => {
    const isTraining = graph.constant("bool", [], Uint8Array.of(0));
    const mean = reduce("ReduceMean", x, [1]);
    return graph.node("If", [isTraining], {
      then_branch: branch(graph, (inner) => inner.node("Sub", [x, inner.node("ReduceMean", [x], { axes: [0] })])),
      else_branch: branch(graph, (inner) => inner.node("Sub", [x, mean])),
    });
  },
  "branch-by-size": ({ x, size, graph }) =>
    graph.node("If", [graph.node("Squeeze", [graph.node("Greater", [size(x), graph.integers([1])])])], {
      then_branch: branch(graph, (inner) => inner.node("Tanh", [x])),
      else_branch: branch(graph, (inner) => inner.node("Tanh", [inner.node("Identity", [x])])),
    }),
  "loop-over-steps": ({ x, graph }) =>
    loop(graph, [graph.constant("int64", [], BigInt64Array.of(3n)), "", x], [8], (inner, state) =>
      inner.node("Add", [inner.node("Tanh", [state]), x]),
    ),
  "scan-over-time": {
    dims: [5, 8],
    make: ({ x, graph }) => {
      const start = graph.node("ReduceSum", [graph.node("Mul", [x, graph.scalar(0)]), graph.integers([1])], {
        keepdims: 0,
      });
      const body = graph.inside((inner) => {
        const sum = inner.node("Add", [
          inner.input("s_sum", "float32", [null, 8]),
          inner.input("s_step", "float32", [null, 8]),
        ]);
        inner.output(sum, "s_next", "float32", [null, 8]);
        inner.output(sum, "s_each", "float32", [null, 8]);
      });
      const axes = { scan_input_axes: [1], scan_output_axes: [1] };
      return graph.nodeOf(2, "Scan", [start, x], { body, num_scan_inputs: 1, ...axes })[1] ?? "";
    },
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const withinIndices = {
  "written-where-positive": ({ x, graph }) => {
    const places = graph.node("NonZero", [graph.node("Greater", [x, graph.scalar(0)])]);
    const pairs = graph.node("Transpose", [places], { perm: [1, 0] });
    const values = graph.node("Tanh", [graph.node("GatherND", [x, pairs])]);
    return graph.node("ScatterND", [x, pairs, values]);
  },
  "best-elements": ({ x, graph }) => {
    const [, places = ""] = graph.nodeOf(2, "TopK", [x, graph.integers([8])], { axis: 1 });
    return graph.node("GatherElements", [graph.node("Tanh", [x]), places], { axis: 1 });
  },
  "scattered-columns": ({ x, size, graph }) => {
    const shape = graph.node("Concat", [size(x), graph.integers([1])], { axis: 0 });
    const places = graph.node("Expand", [graph.constant("int64", [1, 1], BigInt64Array.of(3n)), shape]);
    const peaks = graph.node("ReduceMax", [x], { axes: [1], keepdims: 1 });
    return graph.node("ScatterElements", [x, places, peaks], { axis: 1 });
  },
  "one-hot-of-row": ({ x, graph }) => {
    const place = graph.node("ArgMax", [x], { axis: 1, keepdims: 0 });
    const values = graph.constant("float32", [2], Float32Array.of(0, 1));
    const eight = graph.constant("int64", [], BigInt64Array.of(8n));
    return graph.node("Mul", [x, graph.node("OneHot", [place, eight, values])]);
  },
  "padded-and-sliced": ({ x, slice, graph }) => slice(graph.node("Pad", [x, graph.integers([0, 2, 0, 0])]), 0, 8, 1),
  "repeated-columns": ({ x, reduce, graph }) =>
    graph.node("Sub", [x, graph.node("Tile", [reduce("ReduceMean", x, [1]), graph.integers([1, 8])])]),
  "split-and-joined": ({ x, graph }) => {
    const [left = "", right = ""] = graph.nodeOf(2, "Split", [x], { axis: 1 });
    return graph.node("Concat", [right, left], { axis: 1 });
  },
  "row-number-and-back": ({ x, size, graph }) => {
    const [zero, one] = [0n, 1n].map((value) => graph.constant("int64", [], BigInt64Array.of(value)));
    const places = graph.node("Range", [zero ?? "", graph.node("Squeeze", [size(x)]), one ?? ""]);
    return graph.node("Tanh", [graph.node("Gather", [x, places])]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const withinProducts = {
  "diagonal-of-pairs": ({ x, turned, graph }) => {
    const pairs = graph.node("MatMul", [x, turned(graph.node("Tanh", [x]))]);
    const own = graph.node("Mul", [pairs, graph.node("EyeLike", [pairs])]);
    return graph.node("Add", [x, graph.node("ReduceSum", [own, graph.integers([1])], { keepdims: 1 })]);
  },
  "products-of-time": {
    dims: [5, 8],
    make: ({ x, graph }) => {
      const between = graph.node("Einsum", [x, x], { equation: "nti,ntj->nij" });
      return graph.node("MatMul", [x, between]);
    },
  },
  "fused-product": ({ x, graph }) =>
    graph.node("com.microsoft.FusedMatMul", [x, graph.weights([8, 8], 8)], { transB: 1 }),
  "fast-gelu": ({ x, graph }) => graph.node("com.microsoft.FastGelu", [graph.dense(x, 8, 8)]),
  "skip-layer-norm": {
    dims: [5, 8],
    make: ({ x, graph }) => {
      const [gain, bias] = [1, 0].map((value) => graph.constant("float32", [8], new Float32Array(8).fill(value)));
      return graph.node("com.microsoft.SkipLayerNormalization", [x, x, gain ?? "", bias ?? ""]);
    },
  },
  "features-normalised": ({ x, graph }) => graph.node("ai.onnx.ml.Normalizer", [x], { norm: "L2" }),
  "features-scaled": ({ x, graph }) =>
    graph.node("ai.onnx.ml.Scaler", [x], {
      offset: Float32Array.from({ length: 8 }, (_, index) => index),
      scale: Float32Array.from({ length: 8 }, (_, index) => 1 + index),
    }),
  "frequencies-of-row": ({ x, slice, graph }) => {
    const bins = graph.node("DFT", [graph.node("Unsqueeze", [x, graph.integers([2])])], { axis: 1 });
    return graph.node("Squeeze", [slice(bins, 0, 1, 2), graph.integers([2])]);
  },
};

export const separateOnwards = { ...withinBounds, ...withinControl, ...withinIndices, ...withinProducts };
