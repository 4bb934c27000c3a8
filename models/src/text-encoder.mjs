import { GraphBuilder } from "./graph.mjs";

const VOCABULARY = 1000;
const MAX_LENGTH = 512;
const WIDTH = 128;
const HEADS = 4;
const HEAD_WIDTH = WIDTH / HEADS;
const HIDDEN = 4 * WIDTH;
const LAYERS = 2;

/** The number that attention adds to the score of a padded position, so that softmax gives it exactly 0. */
const MASKED_SCORE = -1e9;

/**
 * A small transformer. Maps `ids` and `mask` (1 for a real token, 0 for padding), both int64 [batch, length], to
 * `embedding` [batch, 128], the mean over the real tokens. Padding on the right with mask 0 does not change the result.
 * Token ids are 0 to 999; at most 512 tokens.
 *
 * @param {string} name
 */
function textEncoder(name) {
  const graph = new GraphBuilder(name);
  const { value, mask } = tokenVectors(graph, "ids", "mask");
  graph.output(meanOverTokens(graph, value, mask), "embedding", "float32", ["batch", WIDTH]);
  return graph.build();
}

/**
 * The same transformer with the names of BERT: `input_ids` and `attention_mask` to `last_hidden_state` [batch, length,
 * 128], a vector for each token.
 *
 * @param {string} name
 */
export function bertEncoder(name) {
  const graph = new GraphBuilder(name);
  const { value } = tokenVectors(graph, "input_ids", "attention_mask");
  graph.output(value, "last_hidden_state", "float32", ["batch", "length", WIDTH]);
  return graph.build();
}

/**
 * Adds the inputs and all layers. Returns the vectors of the tokens, [batch, length, width], and the mask as float32.
 *
 * @param {GraphBuilder} graph
 * @param {string} idsName
 * @param {string} maskName
 */
function tokenVectors(graph, idsName, maskName) {
  const ids = graph.input(idsName, "int64", ["batch", "length"]);
  const mask = graph.node("Cast", [graph.input(maskName, "int64", ["batch", "length"])], { to: 1 });
  const scores = maskScores(graph, mask);
  let value = embed(graph, ids);
  for (let layer = 0; layer < LAYERS; layer++) {
    value = normalized(graph, graph.node("Add", [value, attention(graph, value, scores)]));
    value = normalized(graph, graph.node("Add", [value, feedForward(graph, value)]));
  }
  return { value, mask };
}

/**
 * Returns the sum of token and position embeddings, [batch, length, width].
 *
 * @param {GraphBuilder} graph
 * @param {string} ids
 */
function embed(graph, ids) {
  const tokens = graph.node("Gather", [graph.weights([VOCABULARY, WIDTH], 6), ids]);
  const length = graph.node("Slice", [graph.node("Shape", [ids]), ...[[1], [2]].map((at) => graph.integers(at))]);
  const positions = graph.weights([MAX_LENGTH, WIDTH], 6);
  const used = graph.node("Slice", [positions, graph.integers([0]), length, graph.integers([0])]);
  return graph.node("Add", [tokens, used]);
}

/**
 * Maps [batch, length] of 1 and 0 to [batch, 1, 1, length] of 0 and MASKED_SCORE.
 *
 * @param {GraphBuilder} graph
 * @param {string} mask
 */
function maskScores(graph, mask) {
  const padding = graph.node("Sub", [graph.scalar(1), mask]);
  const scores = graph.node("Mul", [padding, graph.scalar(MASKED_SCORE)]);
  return graph.node("Unsqueeze", [scores, graph.integers([1, 2])]);
}

/** @param {GraphBuilder} graph @param {string} value @param {string} scores */
function attention(graph, value, scores) {
  const [queries, keys, values] = [
    [0, 2, 1, 3],
    [0, 2, 3, 1],
    [0, 2, 1, 3],
  ].map((order) => heads(graph, linear(graph, value, WIDTH, WIDTH), order));
  const scale = graph.scalar(1 / Math.sqrt(HEAD_WIDTH));
  const products = graph.node("Mul", [graph.node("MatMul", [queries, keys]), scale]);
  const shares = graph.node("Softmax", [graph.node("Add", [products, scores])], { axis: -1 });
  const mixed = graph.node("Transpose", [graph.node("MatMul", [shares, values])], { perm: [0, 2, 1, 3] });
  const joined = graph.node("Reshape", [mixed, graph.integers([0, 0, WIDTH])]);
  return linear(graph, joined, WIDTH, WIDTH);
}

/**
 * Splits [batch, length, width] into heads and orders the axes.
 *
 * @param {GraphBuilder} graph
 * @param {string} value
 * @param {readonly number[]} perm
 */
function heads(graph, value, perm) {
  const split = graph.node("Reshape", [value, graph.integers([0, 0, HEADS, HEAD_WIDTH])]);
  return graph.node("Transpose", [split], { perm });
}

/** @param {GraphBuilder} graph @param {string} value */
function feedForward(graph, value) {
  const hidden = graph.node("Relu", [linear(graph, value, WIDTH, HIDDEN)]);
  return linear(graph, hidden, HIDDEN, WIDTH);
}

/**
 * Adds a linear layer over the last axis of [batch, length, inputs].
 *
 * @param {GraphBuilder} graph
 * @param {string} value
 * @param {number} inputs
 * @param {number} outputs
 */
function linear(graph, value, inputs, outputs) {
  const product = graph.node("MatMul", [value, graph.weights([inputs, outputs], 2 * inputs)]);
  return graph.node("Add", [product, graph.bias(outputs)]);
}

/** @param {GraphBuilder} graph @param {string} value */
function normalized(graph, value) {
  const gain = graph.constant("float32", [WIDTH], new Float32Array(WIDTH).fill(1));
  return graph.node("LayerNormalization", [value, gain, graph.bias(WIDTH)]);
}

/**
 * Averages over real tokens. A row of only padding gives 0, not a division by zero.
 *
 * @param {GraphBuilder} graph
 * @param {string} value
 * @param {string} mask
 */
function meanOverTokens(graph, value, mask) {
  const real = graph.node("Mul", [value, graph.node("Unsqueeze", [mask, graph.integers([2])])]);
  const sum = graph.node("ReduceSum", [real, graph.integers([1])], { keepdims: 0 });
  const count = graph.node("ReduceSum", [mask, graph.integers([1])], { keepdims: 1 });
  return graph.node("Div", [sum, graph.node("Max", [count, graph.scalar(1)])]);
}

/** @type {import("./graph.mjs").ModelGenerators} */
export const textEncoderModels = { "text-encoder": textEncoder };
