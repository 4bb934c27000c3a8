import { GraphBuilder } from "./graph.mjs";
import { elementTypes } from "./onnx-writer.mjs";

/**
 * Models with unusual axes of inputs and outputs: shared, inner or several dynamic dimensions.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const axisModels = {
  "two-inputs": twoInputs,
  "shared-scalar": sharedScalar,
  "inner-batch-axis": innerBatchAxis,
  "two-dynamic-dims": twoDynamicDims,
  "variable-length": variableLength,
  recurrent: (name) => recurrent(name, "batch", "samples"),
  "recurrent-unnamed": (name) => recurrent(name, null, null),
  "several-outputs": severalOutputs,
  "numbered-outputs": numberedOutputs,
  "shared-output": sharedOutput,
  "last-step": lastStep,
  "masked-mean": maskedMean,
  pixelwise,
};

/** Maps `a` and `b` [batch, 4] to `sum` and `difference` [batch, 4]. @param {string} name */
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

/**
 * Maps `state` [2, batch, 8] to `next_state` of the same shape: the batch is not the first axis.
 *
 * @param {string} name
 */
function innerBatchAxis(name) {
  const graph = new GraphBuilder(name);
  const state = graph.input("state", "float32", [2, "batch", 8]);
  const mixed = graph.node("MatMul", [state, graph.weights([2, 8, 8], 8)]);
  graph.output(graph.node("Tanh", [mixed]), "next_state", "float32", [2, "batch", 8]);
  return graph.build();
}

/**
 * Maps `image` [batch, 3, height, width] to `features` [batch, 8]: the mean of a convolution over all pixels, so that
 * padding changes the answer.
 *
 * @param {string} name
 */
function twoDynamicDims(name) {
  const graph = new GraphBuilder(name);
  const image = graph.input("image", "float32", ["batch", 3, "height", "width"]);
  const activations = graph.node("Relu", [graph.convolution(image, 3, 8)]);
  const pooled = graph.node("GlobalAveragePool", [activations]);
  graph.output(graph.node("Flatten", [pooled]), "features", "float32", ["batch", 8]);
  return graph.build();
}

/** Maps `seq` [batch, length] to `y` = 2 seq + 1, of the same length. @param {string} name */
function variableLength(name) {
  const graph = new GraphBuilder(name);
  const seq = graph.input("seq", "float32", ["batch", "length"]);
  const doubled = graph.node("Mul", [seq, graph.scalar(2)]);
  graph.output(graph.node("Add", [doubled, graph.scalar(1)]), "y", "float32", ["batch", "length"]);
  return graph.build();
}

/**
 * One step of a recurrent network. Maps `input` [batch, samples], `state` [2, batch, 128] and the sample rate `sr` (an
 * int64 scalar) to `output` [batch, 1] and `stateN` [2, batch, 128]. The batch axis differs between them.
 *
 * @param {string} name
 * @param {string | null} batch the name of the batch in the model, or null for none
 * @param {string | null} samples the name of the other dynamic size
 */
function recurrent(name, batch, samples) {
  const graph = new GraphBuilder(name);
  const input = graph.input("input", "float32", [batch, samples]);
  const state = graph.input("state", "float32", [2, batch, 128]);
  const rate = graph.node("Cast", [graph.input("sr", "int64", [])], { to: elementTypes.float32 });
  const loudness = graph.node("ReduceMean", [graph.node("Mul", [input, input])], { axes: [1], keepdims: 1 });
  const scaled = graph.node("Mul", [loudness, graph.node("Div", [rate, graph.scalar(16_000)])]);
  const remembered = graph.node("MatMul", [state, graph.weights([2, 128, 128], 128)]);
  const next = graph.node("Tanh", [graph.node("Add", [remembered, scaled])]);
  const upper = graph.node("Gather", [next, graph.constant("int64", [], BigInt64Array.of(1n))], { axis: 0 });
  graph.output(graph.node("Sigmoid", [graph.dense(upper, 128, 1)]), "output", "float32", [batch, 1]);
  graph.output(next, "stateN", "float32", batch === null ? [null, null, null] : [2, batch, 128]);
  return graph.build();
}

/**
 * Maps `x` [batch, 8] to `scores` [batch, 5], `grid` [batch, 2, 4] and `label` int64 [batch]: several types and ranks.
 * `label` is a scalar for each item.
 *
 * @param {string} name
 */
function severalOutputs(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 8]);
  const scores = graph.dense(x, 8, 5);
  graph.output(scores, "scores", "float32", ["batch", 5]);
  graph.output(graph.node("Reshape", [x, graph.integers([0, 2, 4])]), "grid", "float32", ["batch", 2, 4]);
  graph.output(graph.node("ArgMax", [scores], { axis: 1, keepdims: 0 }), "label", "int64", ["batch"]);
  return graph.build();
}

/**
 * Maps `x` [batch, 4] to `495` = 2x and `12` = x + 1, which PyTorch's exporter names like this: a JavaScript object has them in
 * another order.
 *
 * @param {string} name
 */
function numberedOutputs(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  graph.output(graph.node("Mul", [x, graph.scalar(2)]), "495", "float32", ["batch", 4]);
  graph.output(graph.node("Add", [x, graph.scalar(1)]), "12", "float32", ["batch", 4]);
  return graph.build();
}

/** Maps `x` [batch, 4] to `y` = 2x, and to `classes` [3], which is the same for all items. @param {string} name */
function sharedOutput(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  graph.output(graph.node("Mul", [x, graph.scalar(2)]), "y", "float32", ["batch", 4]);
  graph.output(graph.constant("float32", [3], Float32Array.of(7, 8, 9)), "classes", "float32", [3]);
  return graph.build();
}

/**
 * Maps `seq` [batch, length] to `y` [batch, 4], from the last element, so padding must be on the left.
 *
 * @param {string} name
 */
function lastStep(name) {
  const graph = new GraphBuilder(name);
  const seq = graph.input("seq", "float32", ["batch", "length"]);
  const last = graph.node("Gather", [seq, graph.integers([-1])], { axis: 1 });
  graph.output(graph.dense(last, 1, 4), "y", "float32", ["batch", 4]);
  return graph.build();
}

/** Maps `seq` and `mask` [batch, length], float32, to `mean` [batch] over elements with mask 1. @param {string} name */
function maskedMean(name) {
  const graph = new GraphBuilder(name);
  const seq = graph.input("seq", "float32", ["batch", "length"]);
  const mask = graph.input("mask", "float32", ["batch", "length"]);
  const [sum, count] = [graph.node("Mul", [seq, mask]), mask].map((value) =>
    graph.node("ReduceSum", [value, graph.integers([1])], { keepdims: 0 }),
  );
  graph.output(graph.node("Div", [sum, graph.node("Max", [count, graph.scalar(1)])]), "mean", "float32", ["batch"]);
  return graph.build();
}

/**
 * Maps `image` [batch, 3, height, width] to `mask` [batch, 2, height, width], pixel by pixel: padding can be trimmed.
 *
 * @param {string} name
 */
function pixelwise(name) {
  const graph = new GraphBuilder(name);
  const image = graph.input("image", "float32", ["batch", 3, "height", "width"]);
  const mixed = graph.node("Conv", [image, graph.weights([2, 3, 1, 1], 3), graph.bias(2)], { kernel_shape: [1, 1] });
  graph.output(graph.node("Sigmoid", [mixed]), "mask", "float32", ["batch", 2, "height", "width"]);
  return graph.build();
}
