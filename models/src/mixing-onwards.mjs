import { chosen, isLoudIn, peakOf, whole } from "./batch-values.mjs";

/**
 * Recipes in which a value of the whole batch flows on into a bound or a condition. `x` is float32 [batch, 8].
 *
 * @typedef {import("./graph.mjs").GraphBuilder} GraphBuilder
 */

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

export const mixingOnwards = { ...intoBounds, ...intoConditions };
