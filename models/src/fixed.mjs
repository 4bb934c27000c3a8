import { GraphBuilder } from "./graph.mjs";

/**
 * Models whose batch is fixed at one item, in the ways in which exporters fix it. The first five can be rewritten for
 * larger batches; the last four cannot.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const fixedModels = {
  "fixed-1-described": described,
  "fixed-1-flattened": flattened,
  "fixed-1-folded": folded,
  "fixed-1-attention": attention,
  "fixed-1-two-inputs": twoInputs,
  "fixed-1-transposed": transposed,
  "fixed-1-sums": sums,
  "fixed-1-total": total,
  "fixed-1-first-row": firstRow,
};

/** Maps `x` [1, 8] to `y` [1, 4]. Also declares the shapes of the values between them. @param {string} name */
function described(name) {
  const graph = new GraphBuilder(name);
  const hidden = graph.describe(graph.dense(graph.input("x", "float32", [1, 8]), 8, 16), [1, 16]);
  const active = graph.describe(graph.node("Relu", [hidden]), [1, 16]);
  graph.output(graph.dense(active, 16, 4), "y", "float32", [1, 4]);
  return graph.build();
}

/** Maps `image` [1, 2, 6, 6] to `y` [1, 4] with a reshape to [1, -1], like `x.view(1, -1)`. @param {string} name */
function flattened(name) {
  const graph = new GraphBuilder(name);
  const image = graph.input("image", "float32", [1, 2, 6, 6]);
  const active = graph.node("Relu", [graph.convolution(image, 2, 3)]);
  const flat = graph.node("Reshape", [active, graph.integers([1, -1])]);
  graph.output(graph.dense(flat, 108, 4), "y", "float32", [1, 4]);
  return graph.build();
}

/**
 * Maps `seq` [1, 6, 8] to `y` [1, 6, 4] with a linear layer over [6, 8]: the steps become rows.
 *
 * @param {string} name
 */
function folded(name) {
  const graph = new GraphBuilder(name);
  const steps = graph.node("Reshape", [graph.input("seq", "float32", [1, 6, 8]), graph.integers([6, 8])]);
  const unfolded = graph.node("Reshape", [graph.dense(steps, 8, 4), graph.integers([1, 6, 4])]);
  graph.output(unfolded, "y", "float32", [1, 6, 4]);
  return graph.build();
}

/**
 * Maps `seq` [1, 5, 8] to `y` [1, 5, 8] by attention with two heads. The reshapes of queries, keys and values share a
 * shape.
 *
 * @param {string} name
 */
function attention(name) {
  const graph = new GraphBuilder(name);
  const seq = graph.input("seq", "float32", [1, 5, 8]);
  const shape = graph.integers([1, 5, 2, 4]);
  const [queries, keys, values] = [
    [0, 2, 1, 3],
    [0, 2, 3, 1],
    [0, 2, 1, 3],
  ].map((perm) => {
    const linear = graph.node("MatMul", [seq, graph.weights([8, 8], 16)]);
    return graph.node("Transpose", [graph.node("Reshape", [linear, shape])], { perm });
  });
  const shares = graph.node("Softmax", [graph.node("MatMul", [queries, keys])], { axis: -1 });
  const mixed = graph.node("Transpose", [graph.node("MatMul", [shares, values])], { perm: [0, 2, 1, 3] });
  graph.output(graph.node("Reshape", [mixed, graph.integers([1, 5, 8])]), "y", "float32", [1, 5, 8]);
  return graph.build();
}

/** Maps `a` and `b` [1, 4] to `y` = a + b. @param {string} name */
function twoInputs(name) {
  const graph = new GraphBuilder(name);
  const inputs = ["a", "b"].map((input) => graph.input(input, "float32", [1, 4]));
  graph.output(graph.node("Add", inputs), "y", "float32", [1, 4]);
  return graph.build();
}

/**
 * Maps `x` [1, 3, 4] to `y` [1, 12], with a transpose before a reshape to a literal size, which would mix the items of
 * a batch.
 *
 * @param {string} name
 */
function transposed(name) {
  const graph = new GraphBuilder(name);
  const turned = graph.node("Transpose", [graph.input("x", "float32", [1, 3, 4])], { perm: [1, 0, 2] });
  const flat = graph.node("Reshape", [turned, graph.integers([-1, 12])]);
  graph.output(flat, "y", "float32", [1, 12]);
  return graph.build();
}

/** Maps `x` [1, 4] to `y` [1, 4], x plus the sum over the batch: correct only with one item. @param {string} name */
function sums(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", [1, 4]);
  const sum = graph.node("ReduceSum", [x, graph.integers([0])], { keepdims: 1 });
  graph.output(graph.node("Add", [x, sum]), "y", "float32", [1, 4]);
  return graph.build();
}

/** Maps `x` [1, 4] to `y` [1, 4] and `total` [4], which has no batch axis to make dynamic. @param {string} name */
function total(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", [1, 4]);
  graph.output(graph.node("Mul", [x, graph.scalar(2)]), "y", "float32", [1, 4]);
  graph.output(graph.node("ReduceSum", [x, graph.integers([0])], { keepdims: 0 }), "total", "float32", [4]);
  return graph.build();
}

/** Maps `x` [1, 4] to `y` [1, 4], twice the first row: the batch is a literal size inside. @param {string} name */
function firstRow(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", [1, 4]);
  const first = graph.node("Slice", [x, graph.integers([0]), graph.integers([1]), graph.integers([0])]);
  graph.output(graph.node("Mul", [first, graph.scalar(2)]), "y", "float32", [1, 4]);
  return graph.build();
}
