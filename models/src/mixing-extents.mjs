import { chosen, plus, whole } from "./batch-values.mjs";
import { branch, loop } from "./mixing-onwards.mjs";

/**
 * Recipes in which all rows together decide how many elements a value has, and that number flows on. `x` is float32
 * [batch, 8].
 *
 * @typedef {import("./recipes.mjs").Steps} Steps
 */

/** The places of loud elements, int64 [2, count]. @param {Steps} steps */
export function loudPlaces({ x, graph }) {
  return graph.node("NonZero", [graph.node("Greater", [x, graph.scalar(20)])]);
}

/** The number of loud elements of the batch, int64 [1]. @param {Steps} steps */
export function loudCount(steps) {
  const { graph } = steps;
  return graph.node("Gather", [graph.node("Shape", [loudPlaces(steps)]), graph.integers([1])]);
}

/** That number, at most `most`. @param {Steps} steps @param {number} most */
function fewLoud(steps, most) {
  return steps.graph.node("Min", [loudCount(steps), steps.graph.integers([most])]);
}

/** @type {import("./recipes.mjs").Recipes} */
const intoValues = {
  "count-of-places": (steps) => plus(steps, loudCount(steps)),
  "large-ids-counted": {
    type: "int64",
    make: ({ x, graph }) => {
      const places = graph.node("NonZero", [graph.node("Greater", [x, whole(graph, 5)])]);
      const count = graph.node("Gather", [graph.node("Shape", [places]), graph.integers([-1])]);
      return graph.node("Add", [x, count]);
    },
  },
  "count-of-pairs": (steps) => {
    const { graph } = steps;
    const pairs = graph.node("Transpose", [loudPlaces(steps)], { perm: [1, 0] });
    return plus(steps, graph.node("Shape", [pairs], { start: 0, end: 1 }));
  },
  "count-of-chosen": (steps) => {
    const { x, graph } = steps;
    const pairs = graph.node("Transpose", [loudPlaces(steps)]);
    return plus(steps, graph.node("Size", [graph.node("GatherND", [x, pairs])]));
  },
  "sum-of-chosen": (steps) => {
    const { x, graph } = steps;
    const loud = graph.node("GatherND", [x, graph.node("Transpose", [loudPlaces(steps)])]);
    return graph.node("Add", [x, graph.node("ReduceSum", [loud], { keepdims: 0 })]);
  },
  "count-of-kept-rows": (steps) => {
    const { x, graph } = steps;
    const peaks = graph.node("ReduceMax", [x], { axes: [1], keepdims: 0 });
    const kept = graph.node("Compress", [x, graph.node("Greater", [peaks, graph.scalar(20)])], { axis: 0 });
    return plus(steps, graph.node("Shape", [kept], { end: 1 }));
  },
  "kinds-of-ids": {
    type: "int64",
    make: ({ x, graph }) => graph.node("Add", [x, graph.node("Size", [graph.node("Unique", [x])])]),
  },
  "count-of-boxes": (steps) => {
    const { x, slice, graph } = steps;
    const boxes = graph.node("Reshape", [graph.node("Tanh", [x]), graph.integers([-1, 2, 4])]);
    const scores = graph.node("Unsqueeze", [slice(x, 0, 2, 1), graph.integers([1])]);
    const limits = [graph.integers([2]), graph.scalar(0.5), graph.scalar(20)];
    return plus(steps, graph.node("Size", [graph.node("NonMaxSuppression", [boxes, scores, ...limits])]));
  },
  "table-by-count": (steps) => {
    const { x, graph } = steps;
    return graph.node("Add", [x, graph.node("Gather", [graph.weights([8, 8], 8), fewLoud(steps, 7)])]);
  },
  "product-by-count": (steps) => {
    const { x, graph } = steps;
    const count = graph.node("Cast", [graph.node("Unsqueeze", [loudCount(steps), graph.integers([0])])], { to: 1 });
    const row = graph.node("MatMul", [count, graph.weights([1, 8], 8)]);
    return graph.node("Sub", [x, row]);
  },
  "length-of-a-sequence": (steps) => {
    const { x, graph } = steps;
    const loud = graph.node("GatherND", [x, graph.node("Transpose", [loudPlaces(steps)])]);
    return plus(steps, graph.node("SequenceLength", [graph.node("SplitToSequence", [loud])]));
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const intoSizes = {
  "ones-by-count": (steps) => {
    const { graph } = steps;
    const ones = graph.node("Expand", [whole(graph, 1), loudCount(steps)]);
    return plus(steps, graph.node("ReduceSum", [ones], { keepdims: 0 }));
  },
  "range-by-count": (steps) => {
    const { graph } = steps;
    const count = graph.node("Squeeze", [loudCount(steps)]);
    return plus(steps, graph.node("Size", [graph.node("Range", [whole(graph, 0), count, whole(graph, 1)])]));
  },
  "constant-by-count": (steps) => {
    const { graph } = steps;
    const shape = graph.node("Concat", [loudCount(steps), graph.integers([2])], { axis: 0 });
    return plus(steps, graph.node("Shape", [graph.node("ConstantOfShape", [shape])], { end: 1 }));
  },
  "depth-by-count": (steps) => {
    const { graph } = steps;
    const depth = graph.node("Add", [loudCount(steps), graph.integers([1])]);
    const hot = graph.node("OneHot", [graph.integers([0]), depth, graph.integers([1, 2])]);
    return plus(steps, graph.node("Size", [hot]));
  },
  "repeats-by-count": (steps) => {
    const { graph } = steps;
    return plus(steps, graph.node("Size", [graph.node("Tile", [graph.integers([1]), loudCount(steps)])]));
  },
  "columns-by-count": (steps) => {
    const { x, graph } = steps;
    const end = graph.node("Add", [fewLoud(steps, 7), graph.integers([1])]);
    const part = graph.node("Slice", [x, graph.integers([0]), end, graph.integers([1])]);
    return graph.node("Sub", [x, graph.node("ReduceMean", [part], { axes: [1], keepdims: 1 })]);
  },
  "best-by-count": (steps) => {
    const { x, graph } = steps;
    const count = graph.node("Add", [fewLoud(steps, 7), graph.integers([1])]);
    const [top = ""] = graph.nodeOf(2, "TopK", [x, count], { axis: 1 });
    return graph.node("Sub", [x, graph.node("ReduceMean", [top], { axes: [1], keepdims: 1 })]);
  },
  "column-of-count": (steps) => {
    const { x, graph } = steps;
    return graph.node("Sub", [x, graph.node("Gather", [x, fewLoud(steps, 7)], { axis: 1 })]);
  },
  "size-of-loop": (steps) => {
    const { graph } = steps;
    const body = graph.inside((inner) => {
      inner.input("p_step", "int64", []);
      const goes = inner.input("p_go", "bool", []);
      inner.output(goes, "p_go_on", "bool", []);
      inner.output(inner.scalar(1), "p_one", "float32", []);
    });
    const count = graph.node("Squeeze", [chosen(steps, 5, 2)]);
    return plus(steps, graph.node("Size", [graph.node("Loop", [count, ""], { body })]));
  },
};

/** @type {import("./recipes.mjs").Recipes} */
const intoChoices = {
  "where-by-count": (steps) => {
    const { x, graph } = steps;
    const isAny = graph.node("Greater", [loudCount(steps), graph.integers([0])]);
    return graph.node("Where", [isAny, graph.node("Neg", [x]), x]);
  },
  "branch-by-count": (steps) => {
    const { x, graph } = steps;
    const isAny = graph.node("Greater", [graph.node("Squeeze", [loudCount(steps)]), whole(graph, 0)]);
    return graph.node("If", [isAny], {
      then_branch: branch(graph, (inner) => inner.node("Neg", [x])),
      else_branch: branch(graph, (inner) => inner.node("Identity", [x])),
    });
  },
  "branch-by-large-ids": {
    type: "int64",
    resultType: "float32",
    make: ({ x, graph }) => {
      const places = graph.node("NonZero", [graph.node("Greater", [x, whole(graph, 5)])]);
      const isAny = graph.node("Greater", [graph.node("Size", [places]), whole(graph, 0)]);
      const numbers = graph.node("Cast", [x], { to: 1 });
      return graph.node("If", [isAny], {
        then_branch: branch(graph, (inner) => inner.node("Neg", [numbers])),
        else_branch: branch(graph, (inner) => inner.node("Identity", [numbers])),
      });
    },
  },
  "loops-by-count": (steps) => {
    const { x, graph } = steps;
    const count = graph.node("Squeeze", [fewLoud(steps, 4)]);
    return loop(graph, [count, "", x], [8], (inner, state) => inner.node("Mul", [state, inner.scalar(1.5)]));
  },
};

export const mixingExtents = { ...intoValues, ...intoSizes, ...intoChoices };
