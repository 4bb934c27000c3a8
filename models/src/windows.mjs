import { GraphBuilder } from "./graph.mjs";

/**
 * Models of audio and sequences whose dynamic sizes cannot be guessed or whose answers change with padding, and models
 * that sum rows.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const windowModels = {
  "reflect-padded": reflectPadded,
  "wide-convolution": wideConvolution,
  "windows-of-400": (name) => windowsOf400(name, "batch"),
  "fixed-1-windows-of-400": (name) => windowsOf400(name, 1),
  "less-the-first": (name) => lessTheFirst(name, 4, 4),
  "windows-less-the-first": (name) => lessTheFirst(name, "samples", 400),
  "mean-of-sequence": meanOfSequence,
  "adds-rows": (name) => addsRows(name, "batch"),
  "adds-4-rows": (name) => addsRows(name, 4),
};

/**
 * Maps `audio` [batch, samples] to `level` [batch]: the mean square, with 20 samples reflected at each end. Requires
 * more than 20 samples.
 *
 * @param {string} name
 */
function reflectPadded(name) {
  const graph = new GraphBuilder(name);
  const audio = graph.input("audio", "float32", ["batch", "samples"]);
  const padded = graph.node("Pad", [audio, graph.integers([0, 20, 0, 20])], { mode: "reflect" });
  const square = graph.node("Mul", [padded, padded]);
  graph.output(graph.node("ReduceMean", [square], { axes: [1], keepdims: 0 }), "level", "float32", ["batch"]);
  return graph.build();
}

/**
 * Maps `audio` [batch, 1, samples] to `bands` [batch, 4]: the mean of a convolution over 400 samples.
 *
 * @param {string} name
 */
function wideConvolution(name) {
  const graph = new GraphBuilder(name);
  const audio = graph.input("audio", "float32", ["batch", 1, "samples"]);
  const kernel = graph.weights([4, 1, 400], 400);
  const frames = graph.node("Conv", [audio, kernel], { kernel_shape: [400], strides: [160] });
  graph.output(graph.node("ReduceMean", [frames], { axes: [2], keepdims: 0 }), "bands", "float32", ["batch", 4]);
  return graph.build();
}

/**
 * Maps `audio` [batch, samples] to `loudest` [batch, 400]: the max over windows of 400 samples, all of which must be
 * complete.
 *
 * @param {string} name
 * @param {"batch" | 1} batch
 */
function windowsOf400(name, batch) {
  const graph = new GraphBuilder(name);
  const audio = graph.input("audio", "float32", [batch, "samples"]);
  const windows = graph.node("Reshape", [audio, graph.integers([0, -1, 400])]);
  graph.output(graph.node("ReduceMax", [windows], { axes: [1], keepdims: 0 }), "loudest", "float32", [batch, 400]);
  return graph.build();
}

/**
 * Maps `x` [batch, length] to `y` = `x` minus the first element of the batch, with windows of `width`: wrong on
 * purpose.
 *
 * @param {string} name
 * @param {"samples" | number} length
 * @param {number} width
 */
function lessTheFirst(name, length, width) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", length]);
  const windows = graph.node("Reshape", [x, graph.integers([-1, width])]);
  const first = graph.node("Gather", [windows, graph.constant("int64", [], BigInt64Array.of(0n))], { axis: 0 });
  const start = graph.node("Gather", [first, graph.integers([0])], { axis: 0 });
  graph.output(graph.node("Sub", [x, start]), "y", "float32", ["batch", length]);
  return graph.build();
}

/** Maps `x` [batch, length] to `mean` [batch] over all elements: padding changes the answer. @param {string} name */
function meanOfSequence(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", "length"]);
  graph.output(graph.node("ReduceMean", [x], { axes: [1], keepdims: 0 }), "mean", "float32", ["batch"]);
  return graph.build();
}

/**
 * Maps `x` [batch, 4] to `y` = `x` plus the sum over the batch: wrong on purpose.
 *
 * @param {string} name
 * @param {"batch" | 4} batch
 */
function addsRows(name, batch) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", [batch, 4]);
  const sum = graph.node("ReduceSum", [x, graph.integers([0])], { keepdims: 1 });
  graph.output(graph.node("Add", [x, sum]), "y", "float32", [batch, 4]);
  return graph.build();
}
