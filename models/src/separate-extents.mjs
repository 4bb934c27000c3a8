import { whole } from "./batch-values.mjs";
import { branch } from "./mixing-onwards.mjs";

/**
 * Recipes in which all rows together decide how many elements a value has, and no answer depends on that number. `x` is
 * float32 [batch, 8].
 *
 * @typedef {import("./recipes.mjs").Steps} Steps
 */

/** The places of positive elements, int64 [count, 2]. @param {Steps} steps */
function positivePairs({ x, graph }) {
  return graph.node("Transpose", [graph.node("NonZero", [graph.node("Greater", [x, graph.scalar(0)])])]);
}

/** The rows of those elements, int64 [count]. @param {Steps} steps @param {string} pairs */
function rowsOf({ graph }, pairs) {
  return graph.node("Gather", [pairs, whole(graph, 0)], { axis: 1 });
}

/** The number of pairs, int64 []. @param {Steps} steps @param {string} pairs */
function countOf({ graph }, pairs) {
  return graph.node("Gather", [graph.node("Shape", [pairs]), whole(graph, 0)]);
}

/** @type {import("./recipes.mjs").Recipes} */
export const separateExtents = {
  "filled-where-positive": (steps) => {
    const { x, graph } = steps;
    const pairs = positivePairs(steps);
    const shape = graph.node("Shape", [graph.node("GatherND", [x, pairs])]);
    return graph.node("ScatterND", [x, pairs, graph.node("Expand", [graph.scalar(-1), shape])]);
  },
  "sums-of-segments": (steps) => {
    const { x, size, graph } = steps;
    const pairs = positivePairs(steps);
    const numbers = graph.node("Range", [whole(graph, 0), graph.node("Squeeze", [size(x)]), whole(graph, 1)]);
    const [line, column] = [
      graph.node("Unsqueeze", [rowsOf(steps, pairs), graph.integers([0])]),
      graph.node("Unsqueeze", [numbers, graph.integers([1])]),
    ];
    const values = graph.node("Unsqueeze", [graph.node("GatherND", [x, pairs]), graph.integers([0])]);
    const own = graph.node("Where", [graph.node("Equal", [line, column]), values, graph.scalar(0)]);
    return graph.node("Sub", [x, graph.node("ReduceSum", [own, graph.integers([1])], { keepdims: 1 })]);
  },
  "counts-of-segments": (steps) => {
    const { x, size, graph } = steps;
    const values = graph.constant("float32", [2], Float32Array.of(0, 1));
    const hot = graph.node("OneHot", [rowsOf(steps, positivePairs(steps)), size(x), values]);
    const counts = graph.node("ReduceSum", [hot, graph.integers([0])], { keepdims: 0 });
    return graph.node("Sub", [x, graph.node("Unsqueeze", [counts, graph.integers([1])])]);
  },
  "guarded-by-count": (steps) => {
    const { x, graph } = steps;
    const pairs = positivePairs(steps);
    return graph.node("If", [graph.node("Equal", [countOf(steps, pairs), whole(graph, 0)])], {
      then_branch: branch(graph, (inner) => inner.node("Identity", [x])),
      else_branch: branch(graph, (inner) =>
        inner.node("ScatterND", [x, pairs, inner.node("Tanh", [inner.node("GatherND", [x, pairs])])]),
      ),
    });
  },
  "one-pass-for-each": (steps) => {
    const { x, graph } = steps;
    const pairs = positivePairs(steps);
    const body = graph.inside((inner) => {
      const step = inner.input("e_step", "int64", []);
      const go = inner.input("e_go", "bool", []);
      const state = inner.input("e_state", "float32", [null, 8]);
      const pair = inner.node("Gather", [pairs, inner.node("Unsqueeze", [step, inner.integers([0])])]);
      const value = inner.node("Tanh", [inner.node("GatherND", [state, pair])]);
      inner.output(go, "e_go_on", "bool", []);
      inner.output(inner.node("ScatterND", [state, pair, value]), "e_next", "float32", [null, 8]);
    });
    return graph.node("Loop", [countOf(steps, pairs), "", x], { body });
  },
  "from-the-last-to-the-first": (steps) => {
    const { x, graph } = steps;
    const pairs = positivePairs(steps);
    const count = countOf(steps, pairs);
    const numbers = graph.node("Range", [whole(graph, 0), count, whole(graph, 1)]);
    const backwards = graph.node("Sub", [graph.node("Sub", [count, whole(graph, 1)]), numbers]);
    const turned = graph.node("Gather", [pairs, backwards]);
    return graph.node("ScatterND", [x, turned, graph.node("Tanh", [graph.node("GatherND", [x, turned])])]);
  },
  "sorted-and-put-back": (steps) => {
    const { x, graph } = steps;
    const pairs = positivePairs(steps);
    const count = graph.node("Unsqueeze", [countOf(steps, pairs), graph.integers([0])]);
    const [values = "", order = ""] = graph.nodeOf(2, "TopK", [graph.node("GatherND", [x, pairs]), count]);
    return graph.node("ScatterND", [x, graph.node("Gather", [pairs, order]), graph.node("Tanh", [values])]);
  },
  "carried-through-a-loop": (steps) => {
    const { x, graph } = steps;
    const body = graph.inside((inner) => {
      inner.input("k_step", "int64", []);
      const go = inner.input("k_go", "bool", []);
      const kept = inner.input("k_kept", "float32", [null, 8]);
      const seen = inner.input("k_seen", "int64", []);
      inner.output(go, "k_go_on", "bool", []);
      inner.output(kept, "k_kept_on", "float32", [null, 8]);
      inner.output(inner.node("Add", [seen, whole(inner, 1)]), "k_seen_on", "int64", []);
    });
    const inputs = [countOf(steps, positivePairs(steps)), "", x, whole(graph, 0)];
    return graph.node("Tanh", [graph.nodeOf(2, "Loop", inputs, { body })[0] ?? ""]);
  },
  "one-row-after-the-other": ({ x, size, graph }) => {
    const body = graph.inside((inner) => {
      const step = inner.input("r_step", "int64", []);
      const go = inner.input("r_go", "bool", []);
      const row = inner.node("Gather", [x, step]);
      const peak = inner.node("ReduceMax", [row], { keepdims: 0 });
      inner.output(go, "r_go_on", "bool", []);
      inner.output(inner.node("Sub", [row, peak]), "r_each", "float32", [8]);
    });
    return graph.node("Loop", [graph.node("Squeeze", [size(x)]), ""], { body });
  },
  "one-row-sliced-after-the-other": ({ x, size, graph }) => {
    const body = graph.inside((inner) => {
      const step = inner.input("t_step", "int64", []);
      const go = inner.input("t_go", "bool", []);
      const start = inner.node("Unsqueeze", [step, inner.integers([0])]);
      const end = inner.node("Add", [start, inner.integers([1])]);
      const row = inner.node("Squeeze", [inner.node("Slice", [x, start, end]), inner.integers([0])]);
      const loud = inner.node("NonZero", [inner.node("Greater", [row, inner.scalar(1)])]);
      const count = inner.node("Cast", [inner.node("Size", [loud])], { to: 1 });
      inner.output(go, "t_go_on", "bool", []);
      inner.output(inner.node("Sub", [row, count]), "t_each", "float32", [8]);
    });
    return graph.node("Loop", [graph.node("Squeeze", [size(x)]), ""], { body });
  },
  "scan-of-single-rows": ({ x, graph }) => {
    const body = graph.inside((inner) => {
      const row = inner.input("v_row", "float32", [8]);
      const peak = inner.node("ReduceMax", [row], { keepdims: 0 });
      const loud = inner.node("NonZero", [inner.node("Greater", [row, inner.scalar(1)])]);
      const count = inner.node("Cast", [inner.node("Size", [loud])], { to: 1 });
      inner.output(inner.node("Sub", [inner.node("Sub", [row, peak]), count]), "v_each", "float32", [8]);
    });
    return graph.node("Scan", [x], { body, num_scan_inputs: 1 });
  },
  "rank-of-places": ({ x, graph }) => {
    const places = graph.node("NonZero", [graph.node("Greater", [x, graph.scalar(0)])]);
    const rank = graph.node("Gather", [graph.node("Shape", [places]), graph.integers([0])]);
    return graph.node("Mul", [x, graph.node("Cast", [rank], { to: 1 })]);
  },
};
