import { GraphBuilder } from "./graph.mjs";

/**
 * Models with outputs that are not one row for each item, in the names and dims that exporters write.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const wholeModels = {
  "whole-places": places,
  "whole-boxes": (name) => boxes(name, "batch"),
  "whole-boxes-fixed-1": (name) => boxes(name, 1),
  "whole-picture": picture,
  "whole-mean": mean,
  "whole-constant": constantBeside,
  "folded-rows": (name) => foldedRows(name, "batch", "5*batch"),
  "folded-rows-unnamed": (name) => foldedRows(name, null, null),
  "folded-rows-fixed-1": (name) => foldedRows(name, 1, 5),
  "label-of-one": labelOfOne,
  "rare-label": rareLabel,
  "rare-label-turned": (name) => rareLabelTurned(name, false),
  "rare-label-mixes": (name) => rareLabelTurned(name, true),
};

/** The number in the last place of each row of a picture that marks an object. */
const SIGN = 7.25;

/** Returns the score of each place of `x` [batch, 6, 5] as [batch, 6, 1]: 1 where its last number is the sign. @param {GraphBuilder} graph @param {string} x */
function scoresOf(graph, x) {
  const [last, from, to] = [[2], [4], [5]].map((list) => graph.integers(list));
  const signs = graph.node("Slice", [x, from, to, last]);
  const far = graph.node("Abs", [graph.node("Sub", [signs, graph.scalar(SIGN)])]);
  return graph.node("Add", [graph.node("Mul", [far, graph.scalar(-100)]), graph.scalar(1)]);
}

/** Maps `x` [batch, 6, 5] to `detections` [n, 5]: all rows of all items that end in the sign. @param {string} name */
function places(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 6, 5]);
  const scores = graph.node("Squeeze", [scoresOf(graph, x), graph.integers([2])]);
  const at = graph.node("NonZero", [graph.node("Greater", [scores, graph.scalar(0.5)])]);
  const rows = graph.node("GatherND", [x, graph.node("Transpose", [at], { perm: [1, 0] })]);
  graph.output(rows, "detections", "float32", ["n", 5]);
  return graph.build();
}

/** Maps `x` [batch, 6, 5] to `detections` [n, 5]: the same, by NonMaxSuppression. @param {string} name @param {string | number} batch */
function boxes(name, batch) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", [batch, 6, 5]);
  const corners = graph.node("Slice", [x, graph.integers([0]), graph.integers([4]), graph.integers([2])]);
  const scores = graph.node("Transpose", [scoresOf(graph, x)], { perm: [0, 2, 1] });
  const selected = graph.node("NonMaxSuppression", [
    corners,
    scores,
    graph.integers([100]),
    graph.constant("float32", [1], Float32Array.of(0.9)),
    graph.constant("float32", [1], Float32Array.of(0.5)),
  ]);
  const where = graph.node("Gather", [selected, graph.integers([0, 2])], { axis: 1 });
  graph.output(graph.node("GatherND", [x, where]), "detections", "float32", ["n", 5]);
  return graph.build();
}

/**
 * Maps `image` [3, height, width] to `places` [n, 3], those of all numbers above a half, and `sums` [1, 3]: no size is that
 * of a batch, as torchvision exports its detectors.
 *
 * @param {string} name
 */
function picture(name) {
  const graph = new GraphBuilder(name);
  const image = graph.input("image", "float32", [3, "height", "width"]);
  const at = graph.node("NonZero", [graph.node("Greater", [image, graph.scalar(0.5)])]);
  graph.output(graph.node("Transpose", [at], { perm: [1, 0] }), "places", "int64", ["n", 3]);
  const sums = graph.node("ReduceSum", [image, graph.integers([1, 2])], { keepdims: 0 });
  graph.output(graph.node("Unsqueeze", [sums, graph.integers([0])]), "sums", "float32", [1, 3]);
  return graph.build();
}

/** Maps `x` [batch, 4] to `y` = 2x and `mean` [], the mean of the whole batch. @param {string} name */
function mean(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  graph.output(graph.node("Mul", [x, graph.scalar(2)]), "y", "float32", ["batch", 4]);
  graph.output(graph.node("ReduceMean", [x], { keepdims: 0 }), "mean", "float32", []);
  return graph.build();
}

/** Maps `x` [batch, 4] to `y` = 2x, and has the numbers of its `classes` [3] as an output. @param {string} name */
function constantBeside(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  graph.output(graph.node("Mul", [x, graph.scalar(2)]), "y", "float32", ["batch", 4]);
  graph.output(graph.integers([3, 5, 8]), "classes", "int64", [3]);
  return graph.build();
}

/**
 * Maps `x` [batch, 20] to `y` = 2x as [5 batch, 4], like `x.view(-1, 4)`: five rows for each item.
 *
 * @param {string} name
 * @param {string | number | null} batch
 * @param {string | number | null} rows
 */
function foldedRows(name, batch, rows) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", [batch, 20]);
  const folded = graph.node("Reshape", [graph.node("Mul", [x, graph.scalar(2)]), graph.integers([-1, 4])]);
  graph.output(folded, "y", "float32", [rows, 4]);
  return graph.build();
}

/** The number of classes of the forests. */
const CLASSES = 3;

/**
 * Adds one tree of three leaves over the first two features, as exporters of forests write them.
 *
 * @param {GraphBuilder} graph
 * @param {string} x
 * @param {readonly (readonly (readonly number[])[])[]} leaves the classes of each leaf, with their weights
 * @param {number} rare the value of the second feature from which the last leaf applies
 */
function forest(graph, x, leaves, rare) {
  const weights = leaves.flatMap((classes, leaf) =>
    classes.map(([id = 0, weight = 0]) => ({ leaf: leaf + 2, id, weight })),
  );
  return graph.nodeOf(2, "ai.onnx.ml.TreeEnsembleClassifier", [x], {
    classlabels_int64s: Array.from({ length: CLASSES }, (_, index) => index),
    class_ids: weights.map(({ id }) => id),
    class_nodeids: weights.map(({ leaf }) => leaf),
    class_treeids: weights.map(() => 0),
    class_weights: Float32Array.from(weights, ({ weight }) => weight),
    nodes_falsenodeids: [1, 4, 0, 0, 0],
    nodes_truenodeids: [2, 3, 0, 0, 0],
    nodes_featureids: [0, 1, 0, 0, 0],
    nodes_hitrates: Float32Array.of(1, 1, 1, 1, 1),
    nodes_missing_value_tracks_true: [0, 0, 0, 0, 0],
    nodes_modes: { texts: ["BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"] },
    nodes_nodeids: [0, 1, 2, 3, 4],
    nodes_treeids: [0, 0, 0, 0, 0],
    nodes_values: Float32Array.of(0, rare, 0, 0, 0),
    post_transform: "NONE",
  });
}

/** Maps `x` [N, 4] to `label` int64, declared [1] and returned as [N], and `probabilities` [N, 3], as LightGBM does. @param {string} name */
function labelOfOne(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("input", "float32", ["N", 4]);
  const [label = "", probabilities = ""] = forest(graph, x, [[[0, 1]], [[1, 1]], [[2, 1]]], 0.5);
  graph.output(label, "label", "int64", [1]);
  graph.output(probabilities, "probabilities", "float32", ["N", CLASSES]);
  return graph.build();
}

/** Leaves whose first class always wins, but in the last one. */
const RARE = [
  [
    [0, 0.75],
    [1, 0.25],
  ],
  [
    [0, 0.625],
    [1, 0.375],
  ],
  [[2, 1]],
];
/** A value that no generated item has. */
const RARELY = 1e6;

/** Maps `x` [?, 4] to `label` int64 [?], which is 0 but for a rare item, and `probabilities` [?, 3]. @param {string} name */
function rareLabel(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("X", "float32", [null, 4]);
  const [label = "", probabilities = ""] = forest(graph, x, RARE, RARELY);
  graph.output(label, "label", "int64", [null]);
  graph.output(probabilities, "probabilities", "float32", [null, CLASSES]);
  return graph.build();
}

/**
 * The same, with two reshapes around the label that the reader of graphs does not follow. If it mixes, each label is the
 * largest of its batch: wrong on purpose.
 *
 * @param {string} name
 * @param {boolean} isMixing
 */
function rareLabelTurned(name, isMixing) {
  const graph = new GraphBuilder(name);
  const x = graph.input("X", "float32", [null, 4]);
  const [label = "", probabilities = ""] = forest(graph, x, RARE, RARELY);
  const row = graph.node("Reshape", [label, graph.integers([1, -1])]);
  const turned = graph.node("Transpose", [row], { perm: [1, 0] });
  const zero = graph.node("Mul", [label, graph.integers([0])]);
  const used = isMixing
    ? graph.node("ReduceMax", [turned], { axes: [0], keepdims: 0 })
    : graph.node("Reshape", [turned, graph.integers([-1])]);
  graph.output(graph.node("Add", [zero, used]), "label", "int64", [null]);
  graph.output(probabilities, "probabilities", "float32", [null, CLASSES]);
  return graph.build();
}
