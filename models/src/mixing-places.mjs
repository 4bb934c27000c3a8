import { chosen, plus, whole } from "./batch-values.mjs";

/**
 * Recipes in which a value of the whole batch flows on into a shape or an index. `x` is float32 [batch, 8].
 */

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
  "weak-count": ({ x, graph }) => {
    const places = graph.node("NonZero", [graph.node("Greater", [x, graph.scalar(20)])]);
    const count = graph.node("Cast", [graph.node("Size", [places])], { to: 1 });
    return graph.node("Mul", [x, graph.node("Add", [graph.scalar(1), graph.node("Mul", [count, graph.scalar(1e-5)])])]);
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
  "weak-scatter-sum": ({ x, size, graph }) => {
    const shape = graph.node("Concat", [size(x), graph.integers([1])], { axis: 0 });
    const zeros = graph.node("Expand", [whole(graph, 0), shape]);
    const sums = graph.node("Tanh", [graph.node("ScatterND", [x, zeros, x], { reduction: "add" })]);
    return graph.node("Mul", [x, graph.node("Add", [graph.scalar(1), graph.node("Mul", [sums, graph.scalar(1e-5)])])]);
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

export const mixingPlaces = { ...intoShapes, ...intoIndices };
