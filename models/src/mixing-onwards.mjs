/**
 * Recipes in which a value of the whole batch flows on into a bound, a condition, a shape or an index. `x` is float32
 * [batch, 8].
 *
 * @typedef {import("./recipes.mjs").Steps} Steps
 * @typedef {import("./graph.mjs").GraphBuilder} GraphBuilder
 */

/** The maximum of the batch, float32 []. @param {Steps} steps */
function peakOf({ x, graph }) {
  return graph.node("ReduceMax", [x], { keepdims: 0 });
}

/** Whether the batch holds a loud element, bool []. @param {Steps} steps */
function isLoudIn(steps) {
  return steps.graph.node("Greater", [peakOf(steps), steps.graph.scalar(20)]);
}

/**
 * An integer that is `loud` if the batch holds a loud element, otherwise `quiet`: int64 [1].
 *
 * @param {Steps} steps
 * @param {number} loud
 * @param {number} quiet
 */
function chosen(steps, loud, quiet) {
  const { graph } = steps;
  return graph.node("Where", [isLoudIn(steps), graph.integers([loud]), graph.integers([quiet])]);
}

/** @param {GraphBuilder} graph @param {number} value */
function whole(graph, value) {
  return graph.constant("int64", [], BigInt64Array.of(BigInt(value)));
}

/** Adds a whole number of any shape to all elements. @param {Steps} steps @param {string} value int64 [] or [1] */
function plus({ x, graph }, value) {
  return graph.node("Add", [x, graph.node("Cast", [value], { to: 1 })]);
}

/** @type {import("./recipes.mjs").Recipes} */
const intoBounds = {
  "floor-of-clip": (steps) => {
    const { x, graph } = steps;
    return graph.node("Clip", [x, graph.node("Sub", [peakOf(steps), graph.scalar(8)])]);
  },
  "ceiling-of-clip": ({ x, graph }) => {
    const least = graph.node("ReduceMin", [x], { keepdims: 0 });
    return graph.node("Clip", [x, "", graph.node("Add", [least, graph.scalar(2)])]);
  },
  "both-bounds-of-clip": (steps) => {
    const { x, graph } = steps;
    const peak = graph.node("ReduceMax", [graph.node("Abs", [x])], { keepdims: 0 });
    const half = graph.node("Mul", [peak, graph.scalar(0.5)]);
    return graph.node("Clip", [x, graph.node("Neg", [half]), half]);
  },
  "floor-by-max": (steps) => {
    const { x, graph } = steps;
    return graph.node("Max", [x, graph.node("Sub", [peakOf(steps), graph.scalar(8)])]);
  },
  "ceiling-by-min": ({ x, reduce, graph }) =>
    graph.node("Min", [x, graph.node("Add", [reduce("ReduceMean", x, [0, 1]), graph.scalar(0.5)])]),
  "floor-of-decibels": (steps) => {
    const { x, graph } = steps;
    const power = graph.node("Add", [graph.node("Mul", [x, x]), graph.scalar(1e-10)]);
    const level = graph.node("Log", [power]);
    const floor = graph.node("Sub", [graph.node("ReduceMax", [level], { keepdims: 0 }), graph.scalar(18.4)]);
    return graph.node("Max", [level, floor]);
  },
  "mel-spectrogram": {
    dims: [2000],
    result: [11, 8],
    make: ({ x, graph }) => {
      const { decibels } = melOf(graph, x);
      const floor = graph.node("Sub", [graph.node("ReduceMax", [decibels], { keepdims: 0 }), graph.scalar(80)]);
      return graph.node("Clip", [decibels, floor]);
    },
  },
  "steps-of-quantisation": (steps) => {
    const { x, graph } = steps;
    const scale = graph.node("Div", [graph.node("Add", [peakOf(steps), graph.scalar(2)]), graph.scalar(100)]);
    const positive = graph.node("Abs", [scale]);
    const zero = graph.constant("uint8", [], Uint8Array.of(128));
    return graph.node("DequantizeLinear", [graph.node("QuantizeLinear", [x, positive, zero]), positive, zero]);
  },
};

/**
 * A mel spectrogram of [batch, 2000] in decibels, [batch, 11, 8]: windows by convolution, power, bands, logarithm.
 *
 * @param {GraphBuilder} graph
 * @param {string} x
 */
export function melOf(graph, x) {
  const sound = graph.node("Unsqueeze", [x, graph.integers([1])]);
  const parts = [Math.cos, Math.sin].map((wave) => {
    const windows = Float32Array.from({ length: 32 * 400 }, (_, index) => {
      const [frequency, sample] = [2 + Math.floor(index / 400), index % 400];
      return (0.5 - 0.5 * Math.cos((2 * Math.PI * sample) / 400)) * wave((2 * Math.PI * frequency * sample) / 400);
    });
    const kernels = graph.constant("float32", [32, 1, 400], windows);
    const part = graph.node("Conv", [sound, kernels], { kernel_shape: [400], strides: [160] });
    return graph.node("Pow", [part, graph.scalar(2)]);
  });
  const power = graph.node("Transpose", [graph.node("Add", parts)], { perm: [0, 2, 1] });
  const bands = Float32Array.from({ length: 32 * 8 }, (_, index) => (Math.floor(index / 8) >> 2 === index % 8 ? 1 : 0));
  const mel = graph.node("MatMul", [power, graph.constant("float32", [32, 8], bands)]);
  const level = graph.node("Log", [graph.node("Clip", [mel, graph.scalar(1e-10)])]);
  return { decibels: graph.node("Mul", [level, graph.scalar(10 / Math.LN10)]) };
}

/** @type {import("./recipes.mjs").Recipes} */
const intoConditions = {
  "condition-of-where": (steps) => {
    const { x, graph } = steps;
    return graph.node("Where", [graph.node("Not", [isLoudIn(steps)]), x, graph.node("Tanh", [x])]);
  },
  "condition-of-if": (steps) => {
    const { x, graph } = steps;
    return graph.node("If", [isLoudIn(steps)], {
      then_branch: branch(graph, (inner) => inner.node("Neg", [x])),
      else_branch: branch(graph, (inner) => inner.node("Identity", [x])),
    });
  },
  "inside-a-branch": ({ x, size, graph }) =>
    graph.node("If", [graph.node("Squeeze", [graph.node("Greater", [size(x), graph.integers([1])])])], {
      then_branch: branch(graph, (inner) => inner.node("Sub", [x, inner.node("ReduceMean", [x], { axes: [0] })])),
      else_branch: branch(graph, (inner) => inner.node("Sub", [x, x])),
    }),
  "count-of-loop": (steps) => {
    const { x, graph } = steps;
    const count = graph.node("Squeeze", [chosen(steps, 3, 1)]);
    return loop(graph, [count, "", x], [8], (inner, state) => inner.node("Mul", [state, inner.scalar(1.5)]));
  },
  "condition-of-loop": (steps) => {
    const { x, graph } = steps;
    const body = graph.inside((inner) => {
      inner.input("c_step", "int64", []);
      inner.input("c_go", "bool", []);
      const state = inner.input("c_state", "float32", [null, 8]);
      const next = inner.node("Mul", [state, inner.scalar(0.5)]);
      const peak = inner.node("ReduceMax", [next], { keepdims: 0 });
      inner.output(inner.node("Greater", [peak, inner.scalar(20)]), "c_go_on", "bool", []);
      inner.output(next, "c_next", "float32", [null, 8]);
    });
    return graph.node("Loop", [whole(graph, 30), "", x], { body });
  },
  "inside-a-loop": ({ x, graph }) =>
    loop(graph, [whole(graph, 2), "", x], [8], (inner, state) =>
      inner.node("Sub", [state, inner.node("ReduceMean", [state], { axes: [0], keepdims: 1 })]),
    ),
  "scan-over-rows": ({ x, graph }) => {
    const start = graph.constant("float32", [8], new Float32Array(8));
    const body = graph.inside((inner) => {
      const sum = inner.node("Add", [inner.input("s_sum", "float32", [8]), inner.input("s_row", "float32", [8])]);
      inner.output(sum, "s_next", "float32", [8]);
      inner.output(sum, "s_each", "float32", [8]);
    });
    return graph.nodeOf(2, "Scan", [start, x], { body, num_scan_inputs: 1 })[1] ?? "";
  },
};

/** @param {GraphBuilder} graph @param {(inner: GraphBuilder) => string} make */
export function branch(graph, make) {
  return graph.inside((inner) => {
    const value = make(inner);
    inner.output(value, `${value}_out`, "float32", [null, 8]);
  });
}

/**
 * Adds a loop with one state.
 *
 * @param {GraphBuilder} graph
 * @param {readonly string[]} inputs count, condition and first state
 * @param {readonly number[]} dims of an item
 * @param {(inner: GraphBuilder, state: string) => string} step
 */
export function loop(graph, inputs, dims, step) {
  const body = graph.inside((inner) => {
    inner.input("l_step", "int64", []);
    const go = inner.input("l_go", "bool", []);
    const state = inner.input("l_state", "float32", [null, ...dims]);
    const next = step(inner, state);
    inner.output(go, "l_go_on", "bool", []);
    inner.output(next, "l_next", "float32", [null, ...dims]);
  });
  return graph.node("Loop", inputs, { body });
}

/** @type {import("./recipes.mjs").Recipes} */
const intoShapes = {
  "shape-of-reshape": (steps) => {
    const { x, graph } = steps;
    const shape = [graph.integers([-1]), chosen(steps, 4, 2), chosen(steps, 2, 4)];
    const parted = graph.node("Reshape", [x, graph.node("Concat", shape, { axis: 0 })]);
    return graph.node("Reshape", [graph.node("Transpose", [parted], { perm: [0, 2, 1] }), graph.integers([-1, 8])]);
  },
  "shape-of-expand": (steps) => {
    const { graph } = steps;
    const ones = graph.node("Expand", [whole(graph, 1), chosen(steps, 3, 1)]);
    return plus(steps, graph.node("ReduceSum", [ones], { keepdims: 0 }));
  },
  "shape-of-constant": (steps) => {
    const { graph } = steps;
    return plus(steps, graph.node("Size", [graph.node("ConstantOfShape", [chosen(steps, 3, 1)])]));
  },
  "length-of-range": (steps) => {
    const { graph } = steps;
    const limit = graph.node("Squeeze", [chosen(steps, 5, 2)]);
    const range = graph.node("Range", [whole(graph, 0), limit, whole(graph, 1)]);
    return plus(steps, graph.node("Shape", [range]));
  },
  "bounds-of-slice": (steps) => {
    const { x, graph } = steps;
    const end = chosen(steps, 8, 4);
    const part = graph.node("Slice", [x, graph.integers([0]), end, graph.integers([1])]);
    return graph.node("Sub", [x, graph.node("ReduceMean", [part], { axes: [1], keepdims: 1 })]);
  },
  "steps-of-slice": (steps) => {
    const { x, graph } = steps;
    const bounds = [chosen(steps, 7, 0), chosen(steps, -(2 ** 31), 2 ** 31), graph.integers([1]), chosen(steps, -1, 1)];
    return graph.node("Slice", [x, ...bounds]);
  },
  "repeats-of-tile": (steps) => {
    const { graph } = steps;
    const ones = graph.node("Tile", [graph.integers([1]), chosen(steps, 4, 1)]);
    return plus(steps, graph.node("ReduceSum", [ones], { keepdims: 0 }));
  },
  "amount-of-padding": (steps) => {
    const { x, slice, graph } = steps;
    const none = graph.integers([0]);
    const pads = graph.node("Concat", [none, chosen(steps, 2, 0), none, none], { axis: 0 });
    return slice(graph.node("Pad", [x, pads]), 0, 8, 1);
  },
  "count-of-top-k": (steps) => {
    const { x, graph } = steps;
    const [top = ""] = graph.nodeOf(2, "TopK", [x, chosen(steps, 6, 2)], { axis: 1 });
    return graph.node("Sub", [x, graph.node("ReduceMean", [top], { axes: [1], keepdims: 1 })]);
  },
  "depth-of-one-hot": (steps) => {
    const { graph } = steps;
    const hot = graph.node("OneHot", [graph.integers([0]), chosen(steps, 7, 2), graph.integers([1, 2])]);
    return plus(steps, graph.node("ReduceSum", [hot], { keepdims: 0 }));
  },
  "size-of-resize": (steps) => {
    const { x, graph } = steps;
    const line = graph.node("Unsqueeze", [x, graph.integers([1])]);
    const sizes = graph.node("Concat", [graph.node("Shape", [line], { end: 2 }), chosen(steps, 4, 8)], { axis: 0 });
    const mean = graph.node("ReduceMean", [graph.node("Resize", [line, "", "", sizes])], { axes: [1, 2], keepdims: 0 });
    return graph.node("Sub", [x, graph.node("Unsqueeze", [mean, graph.integers([1])])]);
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const intoIndices = {
  "count-of-non-zero": (steps) => {
    const { x, graph } = steps;
    const places = graph.node("NonZero", [graph.node("Greater", [x, graph.scalar(20)])]);
    return plus(steps, graph.node("Slice", [graph.node("Shape", [places]), graph.integers([1]), graph.integers([2])]));
  },
  "count-of-large-ids": {
    type: "int64",
    make: ({ x, graph }) => {
      const places = graph.node("NonZero", [graph.node("Greater", [x, whole(graph, 5)])]);
      return graph.node("Add", [x, graph.node("Size", [places])]);
    },
  },
  "count-of-unique": (steps) => {
    const { x, graph } = steps;
    const values = graph.node("Unique", [
      graph.node("Cast", [graph.node("Greater", [x, graph.scalar(20)])], { to: 7 }),
    ]);
    return plus(steps, graph.node("Size", [values]));
  },
  compressed: ({ x, graph }) => {
    const all = graph.node("Reshape", [x, graph.integers([-1])]);
    const loud = graph.node("Compress", [all, graph.node("Greater", [all, graph.scalar(20)])]);
    return graph.node("Add", [x, graph.node("Cast", [graph.node("Size", [loud])], { to: 1 })]);
  },
  "loudest-row": ({ x, graph }) => {
    const place = graph.node("ArgMax", [graph.node("ReduceMax", [x], { axes: [1], keepdims: 0 })], { keepdims: 0 });
    return graph.node("Sub", [x, graph.node("Gather", [x, place])]);
  },
  "row-by-its-content": ({ x, graph }) => {
    const loud = graph.node("Greater", [graph.node("ReduceMax", [x], { axes: [1], keepdims: 0 }), graph.scalar(20)]);
    return graph.node("Gather", [x, graph.node("Sub", [graph.node("Cast", [loud], { to: 7 }), whole(graph, 1)])]);
  },
  "elements-of-loudest": ({ x, graph }) => {
    const place = graph.node("ArgMax", [x], { axis: 0, keepdims: 1 });
    return graph.node("Add", [x, graph.node("GatherElements", [x, place], { axis: 0 })]);
  },
  "gather-nd": ({ x, graph }) => {
    const last = graph.constant("int64", [1, 1], BigInt64Array.of(-1n));
    return graph.node("Add", [x, graph.node("GatherND", [x, last])]);
  },
  "scatter-elements": ({ x, slice, graph }) => {
    const places = graph.constant("int64", [1, 8], new BigInt64Array(8));
    return graph.node("ScatterElements", [x, places, slice(x, -1, 2 ** 31, 0)], { axis: 0 });
  },
  "scatter-sum": ({ x, size, graph }) => {
    const zeros = graph.node("Expand", [
      whole(graph, 0),
      graph.node("Concat", [size(x), graph.integers([1])], { axis: 0 }),
    ]);
    return graph.node("ScatterND", [x, zeros, x], { reduction: "add" });
  },
  "top-places": ({ x, graph }) => {
    const [, places = ""] = graph.nodeOf(2, "TopK", [x, graph.integers([1])], { axis: 0 });
    return graph.node("Add", [x, graph.node("Cast", [places], { to: 1 })]);
  },
  "reversed-sequence": ({ x, size, graph }) => {
    const lengths = graph.node("Expand", [size(x), graph.integers([8])]);
    return graph.node("ReverseSequence", [x, lengths], { batch_axis: 1, time_axis: 0 });
  },
};

export const mixingOnwards = { ...intoBounds, ...intoConditions, ...intoShapes, ...intoIndices };
