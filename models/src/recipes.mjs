import { GraphBuilder } from "./graph.mjs";

/**
 * @typedef {import("./onnx-writer.mjs").ElementType} ElementType
 * @typedef {object} Steps the input and the operations of a recipe
 * @property {GraphBuilder} graph
 * @property {string} x the input
 * @property {(opType: string, value: string, axes: readonly number[]) => string} reduce keeps the axes, size 1
 * @property {(value: string, from: number, to: number, axis: number, step?: number) => string} slice
 * @property {(value: string) => string} turned transposes rows and columns
 * @property {(value: string) => string} size the number of rows, int64 [1]
 * @typedef {(steps: Steps) => string} Make returns the name of the answer
 * @typedef {object} Form
 * @property {Make} make
 * @property {readonly number[]} [dims] dims of an item
 * @property {readonly number[]} [result] dims of an answer
 * @property {ElementType} [type]
 * @property {ElementType} [resultType]
 * @typedef {Readonly<Record<string, Make | Form>>} Recipes recipes by name. `x` and `y` are
 *   float32 [batch, 8] unless the form sets others
 */

/**
 * Returns a model with a dynamic batch for each recipe, and for some recipes also one with a batch of one item
 * (`-fixed-1`).
 *
 * @param {string} kind
 * @param {Recipes} table
 * @param {readonly string[]} fixed the names of the recipes that also have a model with a fixed batch
 * @returns {import("./graph.mjs").ModelGenerators}
 */
export function recipes(kind, table, fixed) {
  const all = Object.entries(table).flatMap(([name, recipe]) => {
    const form = typeof recipe === "function" ? { make: recipe } : recipe;
    /** @type {(batch: import("./onnx-writer.mjs").Dim) => (full: string) => import("./graph.mjs").Model} */
    const generator = (batch) => (full) => cook(full, form, batch);
    const dynamic = [`${kind}-${name}`, generator("batch")];
    return fixed.includes(name) ? [dynamic, [`${kind}-${name}-fixed-1`, generator(1)]] : [dynamic];
  });
  return Object.fromEntries(all);
}

/** @param {string} name @param {Form} form @param {import("./onnx-writer.mjs").Dim} batch */
function cook(name, { make, dims = [8], type = "float32", result = dims, resultType = type }, batch) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", type, [batch, ...dims]);
  graph.output(make({ graph, x, ...stepsOf(graph) }), "y", resultType, [batch, ...result]);
  return graph.build();
}

/** @param {GraphBuilder} graph @returns {Omit<Steps, "graph" | "x">} */
function stepsOf(graph) {
  return {
    reduce: (opType, value, axes) =>
      opType === "ReduceSum"
        ? graph.node(opType, [value, graph.integers(axes)], { keepdims: 1 })
        : graph.node(opType, [value], { axes, keepdims: 1 }),
    slice: (value, from, to, axis, step = 1) =>
      graph.node("Slice", [value, ...[from, to, axis, step].map((number) => graph.integers([number]))]),
    turned: (value) => graph.node("Transpose", [value], { perm: [1, 0] }),
    size: (value) => graph.node("Slice", [graph.node("Shape", [value]), graph.integers([0]), graph.integers([1])]),
  };
}
