import { GraphBuilder } from "./graph.mjs";

const WIDTH = 16;
const HEADS = 2;

/**
 * Models of self-attention over sequences of any length. ONNX Runtime has kernels of its own for com.microsoft's operators,
 * and takes another one from some length on.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const attentionModels = {
  "multi-head-attention": multiHeadAttention,
  "plain-attention": plainAttention,
};

/**
 * Maps `x` [batch, tokens, 16] to `y` of the same dims: attention of two heads by com.microsoft.MultiHeadAttention.
 *
 * @param {string} name
 */
function multiHeadAttention(name) {
  const graph = new GraphBuilder(name);
  const [query, key, value] = projections(graph);
  const attended = graph.node("com.microsoft.MultiHeadAttention", [query, key, value], { num_heads: HEADS });
  graph.output(attended, "y", "float32", ["batch", "tokens", WIDTH]);
  return graph.build();
}

/**
 * Maps `x` [batch, tokens, 16] to `y` of the same dims: attention of one head in operators of ai.onnx.
 *
 * @param {string} name
 */
function plainAttention(name) {
  const graph = new GraphBuilder(name);
  const [query, key, value] = projections(graph);
  const scores = graph.node("MatMul", [query, graph.node("Transpose", [key], { perm: [0, 2, 1] })]);
  const weights = graph.node("Softmax", [graph.node("Mul", [scores, graph.scalar(WIDTH ** -0.5)])], { axis: 2 });
  graph.output(graph.node("MatMul", [weights, value]), "y", "float32", ["batch", "tokens", WIDTH]);
  return graph.build();
}

/** @param {GraphBuilder} graph @returns {[string, string, string]} query, key and value */
function projections(graph) {
  const x = graph.input("x", "float32", ["batch", "tokens", WIDTH]);
  const project = () => graph.node("MatMul", [x, graph.weights([WIDTH, WIDTH], WIDTH)]);
  return [project(), project(), project()];
}
