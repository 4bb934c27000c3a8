import { attention, heads } from "../src/decoders.mjs";
import { GraphBuilder } from "../src/graph.mjs";
import { seededRandom } from "../src/random.mjs";
import { COUNT, STOP, TOKENS } from "./dictionary.mjs";

/**
 * A decoder that translates word by word, by weights that are chosen and not trained: after the tokens of an English
 * sentence come those of the Dutch one. Its first layer finds where the English sentence ends. The second one looks at the word that is
 * as far from the beginning as the next word is from that end, and takes its meaning. The other layers weigh what those of a real
 * model weigh, and change nothing.
 */

const SIZES = Object.freeze({ vocabulary: TOKENS.length, width: 256, positions: 128 });
/** Of the attention. One head is enough. */
const HEAD = Object.freeze({ vocabulary: 0, width: 64, heads: 1, size: 64, layers: 2, inner: 0, positions: 0 });
/** The layers that change nothing. */
const IDLE = Object.freeze({ layers: 3, inner: 1024 });

/** Where the hidden state has what: meanings of the token and of the next word, one channel each; then single channels. */
const MEANING = 0;
const ANSWER = 64;
const [ONE, PLACE, SQUARE, ENDS, END_PLACE] = [128, 129, 130, 131, 132];
/** Nothing reads the channels from here on. */
const UNREAD = 160;

/** How much higher the right word scores than its neighbours, whose share is then e ** -8. */
const FOCUS = 8;
/** How much higher the end of the sentence scores than everything else. */
const END_FOCUS = 60;
/** The score of the next word, where others have 0. */
const SCORE = 10;

/** @type {import("../src/graph.mjs").ModelGenerators} */
export const translatorModels = { translator };

/** @param {string} name */
function translator(name) {
  const graph = new GraphBuilder(name);
  const { width, vocabulary } = SIZES;
  const tokens = graph.input("input_ids", "int64", ["batch_size", "sequence_length"]);
  const mask = graph.input("attention_mask", "int64", ["batch_size", "total_sequence_length"]);
  const positions = graph.input("position_ids", "int64", ["batch_size", "sequence_length"]);
  const pasts = [0, 1].map((layer) => pastOf(graph, layer));
  const embedded = graph.node("Gather", [matrix(graph, [vocabulary, width], meanings()), tokens]);
  const placed = graph.node("Gather", [matrix(graph, [SIZES.positions, width], places()), positions]);
  let hidden = graph.node("Add", [embedded, placed]);
  for (const [layer, weights] of [findsTheEnd(), findsTheWord()].entries()) {
    hidden = attended({ graph, mask, hidden, ...pasts[layer] }, weights, layer);
  }
  const random = seededRandom(1);
  for (let layer = 0; layer < IDLE.layers; layer++) hidden = idle(graph, hidden, random);
  const logits = graph.node("MatMul", [hidden, matrix(graph, [width, vocabulary], words())]);
  graph.output(logits, "logits", "float32", ["batch_size", "sequence_length", vocabulary]);
  return graph.build();
}

const CACHE = /** @type {const} */ (["batch_size", HEAD.heads, "past_sequence_length", HEAD.size]);
const GROWN = /** @type {const} */ (["batch_size", HEAD.heads, "past_sequence_length + sequence_length", HEAD.size]);

/** @param {GraphBuilder} graph @param {number} layer */
function pastOf(graph, layer) {
  const [pastKey, pastValue] = ["key", "value"].map((kind) =>
    graph.input(`past_key_values.${layer}.${kind}`, "float32", CACHE),
  );
  return { pastKey, pastValue };
}

/** @typedef {readonly (readonly [row: number, column: number, value: number])[]} Entries of a matrix; all others are 0 */
/** @typedef {{ query: Entries, key: Entries, value: Entries, output: Entries }} Weights of an attention */

/** English words know their meanings, and the full stop that it is one. @returns {Entries} */
function meanings() {
  const english = Array.from({ length: COUNT + 1 }, (_, token) => /** @type {const} */ ([token, MEANING + token, 1]));
  return [...english, [STOP, ENDS, 1]];
}

/** @returns {Entries} */
function places() {
  return Array.from({ length: SIZES.positions }, (_, place) => place).flatMap((place) => [
    [place, ONE, 1],
    [place, PLACE, place],
    [place, SQUARE, place ** 2],
  ]);
}

/** Which word says each meaning. @returns {Entries} */
function words() {
  return Array.from({ length: COUNT + 1 }, (_, meaning) => [
    ANSWER + meaning,
    meaning === STOP ? STOP : COUNT + meaning,
    SCORE,
  ]);
}

/** Attention divides scores by the square root of the size of a head. @param {number} score */
function scaled(score) {
  return score * Math.sqrt(HEAD.size);
}

/** Every token looks for the full stop before it, and takes its place. @returns {Weights} */
function findsTheEnd() {
  return {
    query: [[ONE, 0, scaled(END_FOCUS)]],
    key: [[ENDS, 0, 1]],
    value: [[PLACE, 0, 1]],
    output: [[0, END_PLACE, 1]],
  };
}

/**
 * A token that is n behind the full stop looks for the word at place n, and takes its meaning. What a place p scores is
 * FOCUS · (2np - p²), which is highest where p is n.
 *
 * @returns {Weights}
 */
function findsTheWord() {
  const each = Array.from({ length: COUNT + 1 }, (_, meaning) => meaning);
  return {
    query: [
      [PLACE, 0, scaled(2 * FOCUS)],
      [END_PLACE, 0, -scaled(2 * FOCUS)],
      [ONE, 1, -scaled(FOCUS)],
    ],
    key: [
      [PLACE, 0, 1],
      [SQUARE, 1, 1],
    ],
    value: each.map((meaning) => [MEANING + meaning, meaning, 1]),
    output: each.map((meaning) => [meaning, ANSWER + meaning, 1]),
  };
}

/**
 * @param {{ graph: GraphBuilder, mask: string, hidden: string, pastKey: string, pastValue: string }} step
 * @param {Weights} weights
 * @param {number} layer
 */
function attended({ graph, mask, hidden, pastKey, pastValue }, weights, layer) {
  const step = { graph, sizes: HEAD, tokens: "", mask, positions: "", pastKey, pastValue };
  const [query, key, value] = [weights.query, weights.key, weights.value].map((entries) =>
    heads(step, graph.node("MatMul", [hidden, matrix(graph, [SIZES.width, HEAD.width], entries)])),
  );
  const found = attention(step, query, key, value, null);
  graph.output(found.key, `present.${layer}.key`, "float32", GROWN);
  graph.output(found.value, `present.${layer}.value`, "float32", GROWN);
  const output = graph.node("MatMul", [found.output, matrix(graph, [HEAD.width, SIZES.width], weights.output)]);
  return graph.node("Add", [hidden, output]);
}

/**
 * The second half of a layer, as wide as that of a real model. It reads all channels and writes to those that nothing reads, so
 * that it takes its time and changes no word. The file has a column and a row for each matrix, which ONNX Runtime multiplies when it
 * loads them: half a million weights are a download of 10 kB.
 *
 * @param {GraphBuilder} graph @param {string} hidden @param {() => number} random
 */
function idle(graph, hidden, random) {
  const product = (/** @type {number} */ rows, /** @type {number} */ columns, /** @type {number} */ from) => {
    const values = (/** @type {number} */ count, /** @type {number} */ start) =>
      Float32Array.from({ length: count }, (_, index) => (index < start ? 0 : random() / 10));
    const column = graph.constant("float32", [rows, 1], values(rows, 0));
    return graph.node("Mul", [column, graph.constant("float32", [1, columns], values(columns, from))]);
  };
  const wide = graph.node("Relu", [graph.node("MatMul", [hidden, product(SIZES.width, IDLE.inner, 0)])]);
  const back = graph.node("MatMul", [wide, product(IDLE.inner, SIZES.width, UNREAD)]);
  return graph.node("Add", [hidden, back]);
}

/** @param {GraphBuilder} graph @param {readonly [number, number]} dims @param {Entries} entries */
function matrix(graph, dims, entries) {
  const data = new Float32Array(dims[0] * dims[1]);
  for (const [row, column, value] of entries) data[row * dims[1] + column] = value;
  return graph.constant("float32", dims, data);
}
