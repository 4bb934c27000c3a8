import { GraphBuilder } from "./graph.mjs";

/**
 * Models that a batcher must detect, reject or isolate.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const misbehavingModels = {
  "mixes-rows": mixesRows,
  "literal-batch": literalBatch,
  "ignores-input": ignoresInput,
  "no-batch-output": noBatchOutput,
  "fails-on-marked-row": (name) => gatherRow(name, [16, 4]),
  "numbered-rows": (name) => gatherRow(name, [4096, 8]),
  "names-of-markup": namesOfMarkup,
  "names-of-objects": namesOfObjects,
};

/**
 * `y` = `x` [batch, 4] minus the mean over the batch: each row's answer depends on its batch-mates.
 *
 * @param {string} name
 */
function mixesRows(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  const mean = graph.node("ReduceMean", [x], { axes: [0], keepdims: 1 });
  graph.output(graph.node("Sub", [x, mean]), "y", "float32", ["batch", 4]);
  return graph.build();
}

/**
 * Maps `x` [batch, 4] to `y` = 2x, as x plus x reshaped to a batch of one, which the exporter wrote into the graph. It
 * runs only with one row.
 *
 * @param {string} name
 */
function literalBatch(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  const row = graph.node("Reshape", [x, graph.integers([1, 4])]);
  graph.output(graph.node("Add", [x, row]), "y", "float32", ["batch", 4]);
  return graph.build();
}

/** Maps `x` [batch, 4] to `y` [batch, 4], which is always 1. @param {string} name */
function ignoresInput(name) {
  const graph = new GraphBuilder(name);
  const zero = graph.node("Mul", [graph.input("x", "float32", ["batch", 4]), graph.scalar(0)]);
  graph.output(graph.node("Add", [zero, graph.scalar(1)]), "y", "float32", ["batch", 4]);
  return graph.build();
}

/** Maps `x` [batch, 4] to `total` [4], the sum over the batch: the output has no rows. @param {string} name */
function noBatchOutput(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  const total = graph.node("ReduceSum", [x, graph.integers([0])], { keepdims: 0 });
  graph.output(total, "total", "float32", [4]);
  return graph.build();
}

/**
 * Maps `id` int64 [batch, 1] to `y` [batch, 1, width], a row of a table. On WASM, an id beyond the table makes the run
 * of the batch fail; on WebGPU, it gives arbitrary numbers.
 *
 * @param {string} name
 * @param {[number, number]} table rows, width
 */
function gatherRow(name, table) {
  const graph = new GraphBuilder(name);
  const id = graph.input("id", "int64", ["batch", 1]);
  const row = graph.node("Gather", [graph.weights(table, 6), id]);
  graph.output(row, "y", "float32", ["batch", 1, table[1]]);
  return graph.build();
}

/**
 * Twice the input [batch, size], with names that a page must show as text, not interpret as markup.
 *
 * @param {string} name
 */
function namesOfMarkup(name) {
  const graph = new GraphBuilder(name);
  const markup = '<img src=x onerror="window.wasTaken=true">';
  const x = graph.input(`${markup}in`, "float32", ["batch", `${markup}size`]);
  graph.output(graph.node("Mul", [x, graph.scalar(2)]), `${markup}out`, "float32", ["batch", `${markup}size`]);
  return graph.build();
}

/**
 * `toString` = `__proto__` + `constructor`, both [batch, seq], and twice that as `valueOf`: names that every object in
 * JavaScript has, also as names of dimensions.
 *
 * @param {string} name
 */
function namesOfObjects(name) {
  const graph = new GraphBuilder(name);
  const dims = ["batch", "seq"];
  const sum = graph.node("Add", [
    graph.input("__proto__", "float32", dims),
    graph.input("constructor", "float32", dims),
  ]);
  graph.output(sum, "toString", "float32", ["batch", "__proto__(seq)"]);
  graph.output(graph.node("Add", [sum, sum]), "valueOf", "float32", ["batch", "seq constructor seq"]);
  return graph.build();
}
