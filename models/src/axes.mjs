import { GraphBuilder } from "./graph.mjs";

/**
 * Models whose inputs and outputs lie in unusual ways: shared, inner or several dynamic dimensions.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const axisModels = {
  "two-inputs": twoInputs,
  "shared-scalar": sharedScalar,
  "inner-batch-axis": innerBatchAxis,
  "two-dynamic-dims": twoDynamicDims,
  "variable-length": variableLength,
};

/** `a` and `b` [batch, 4] to `sum` and `difference` [batch, 4]. @param {string} name */
function twoInputs(name) {
  const graph = new GraphBuilder(name);
  const inputs = ["a", "b"].map((input) => graph.input(input, "float32", ["batch", 4]));
  graph.output(graph.node("Add", inputs), "sum", "float32", ["batch", 4]);
  graph.output(graph.node("Sub", inputs), "difference", "float32", ["batch", 4]);
  return graph.build();
}

/** `y` = `x` [batch, 4] times `gain`, a scalar that the whole batch shares. @param {string} name */
function sharedScalar(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  const gain = graph.input("gain", "float32", []);
  graph.output(graph.node("Mul", [x, gain]), "y", "float32", ["batch", 4]);
  return graph.build();
}

/** `state` [2, batch, 8] to `next_state` of the same shape: the batch is not the first axis. @param {string} name */
function innerBatchAxis(name) {
  const graph = new GraphBuilder(name);
  const state = graph.input("state", "float32", [2, "batch", 8]);
  const mixed = graph.node("MatMul", [state, graph.weights([2, 8, 8], 8)]);
  graph.output(graph.node("Tanh", [mixed]), "next_state", "float32", [2, "batch", 8]);
  return graph.build();
}

/** `image` [batch, 3, height, width] to `features` [batch, 8]: the mean of a convolution over all pixels, so that
 * padding would change the answer. @param {string} name */
function twoDynamicDims(name) {
  const graph = new GraphBuilder(name);
  const image = graph.input("image", "float32", ["batch", 3, "height", "width"]);
  const activations = graph.node("Relu", [graph.convolution(image, 3, 8)]);
  const pooled = graph.node("GlobalAveragePool", [activations]);
  graph.output(graph.node("Flatten", [pooled]), "features", "float32", ["batch", 8]);
  return graph.build();
}

/** `seq` [batch, length] to `y` = 2 seq + 1, of the same length. @param {string} name */
function variableLength(name) {
  const graph = new GraphBuilder(name);
  const seq = graph.input("seq", "float32", ["batch", "length"]);
  const doubled = graph.node("Mul", [seq, graph.scalar(2)]);
  graph.output(graph.node("Add", [doubled, graph.scalar(1)]), "y", "float32", ["batch", "length"]);
  return graph.build();
}
