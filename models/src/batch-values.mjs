/**
 * Values of the whole batch, for recipes whose `x` is float32 [batch, 8].
 *
 * @typedef {import("./recipes.mjs").Steps} Steps
 * @typedef {import("./graph.mjs").GraphBuilder} GraphBuilder
 */

/** The maximum of the batch, float32 []. @param {Steps} steps */
export function peakOf({ x, graph }) {
  return graph.node("ReduceMax", [x], { keepdims: 0 });
}

/** Whether the batch holds a loud element, bool []. @param {Steps} steps */
export function isLoudIn(steps) {
  return steps.graph.node("Greater", [peakOf(steps), steps.graph.scalar(20)]);
}

/**
 * An integer that is `loud` if the batch holds a loud element, otherwise `quiet`: int64 [1].
 *
 * @param {Steps} steps
 * @param {number} loud
 * @param {number} quiet
 */
export function chosen(steps, loud, quiet) {
  const { graph } = steps;
  return graph.node("Where", [isLoudIn(steps), graph.integers([loud]), graph.integers([quiet])]);
}

/** @param {GraphBuilder} graph @param {number} value */
export function whole(graph, value) {
  return graph.constant("int64", [], BigInt64Array.of(BigInt(value)));
}

/** Adds a whole number of any shape to all elements. @param {Steps} steps @param {string} value int64 [] or [1] */
export function plus({ x, graph }, value) {
  return graph.node("Add", [x, graph.node("Cast", [value], { to: 1 })]);
}
