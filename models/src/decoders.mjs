import { GraphBuilder } from "./graph.mjs";

/**
 * Decoders of texts, with random weights and the names that exporters write: `input_ids`, `attention_mask`, `position_ids`,
 * `past_key_values.N.key` and `present.N.key`. They differ in how they know the position of a token.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const decoderModels = {
  "decoder-learned": (name) => decoder(name, { positions: learned }),
  "decoder-rotary": (name) => decoder(name, { attend: rotary }),
  "decoder-gqa": (name) => decoder(name, { attend: groupQuery, hasPositions: false }),
  "decoder-alibi": (name) => decoder(name, { attend: linearBiases, hasPositions: false }),
  "decoder-counting": (name) => decoder(name, { positions: counted, hasPositions: false }),
  "decoder-mixing": (name) => decoder(name, { positions: learned, isMixing: true }),
  "decoder-other-names": (name) => decoder(name, { positions: learned, names: OTHER_NAMES }),
  "decoder-merged": merged,
  "encoder-states": encoder,
};

/** Those that are too large for a build that does not need them. @type {import("./graph.mjs").ModelGenerators} */
export const largeDecoderModels = {
  "decoder-384": (name) => decoder(name, { attend: rotary, sizes: LARGE }),
};

/**
 * @typedef {object} Sizes
 * @property {number} vocabulary
 * @property {number} width
 * @property {number} heads
 * @property {number} size of a head
 * @property {number} layers
 * @property {number} inner width inside the second half of a layer
 * @property {number} positions the last position that the model has learned, and one more
 */

/** @type {Sizes} */
const SMALL = Object.freeze({ vocabulary: 61, width: 32, heads: 2, size: 16, layers: 2, inner: 64, positions: 128 });
/** 17 million weights. @type {Sizes} */
const LARGE = Object.freeze({
  vocabulary: 8192,
  width: 384,
  heads: 6,
  size: 64,
  layers: 6,
  inner: 1536,
  positions: 512,
});
/** Added to the scores of positions that must not be seen. */
const UNSEEN = -1e9;

const NAMES = Object.freeze({
  tokens: "input_ids",
  mask: "attention_mask",
  positions: "position_ids",
  past: "past_key_values.",
  present: "present.",
  logits: "logits",
});
const OTHER_NAMES = Object.freeze({
  tokens: "ids",
  mask: "mask",
  positions: "places",
  past: "cache_in_",
  present: "cache_out_",
  logits: "scores",
});

/**
 * @typedef {object} Step the values of a run
 * @property {GraphBuilder} graph
 * @property {Sizes} sizes
 * @property {string} tokens
 * @property {string} mask
 * @property {string} positions empty if the model has none
 * @property {string} pastKey of one layer; the length of all is the same
 * @property {string} pastValue
 *
 * @typedef {object} Attended
 * @property {string} output [batch, tokens, width]
 * @property {string} key the new cache
 * @property {string} value
 *
 * @typedef {object} Kind
 * @property {(step: Step) => string} [positions] returns what is added to the tokens; default: nothing
 * @property {(step: Step, query: string, key: string, value: string) => Attended} [attend]
 * @property {boolean} [hasPositions] whether there is an input of positions; default: yes
 * @property {boolean} [isMixing] whether the tokens of all texts of a batch are added to each
 * @property {typeof NAMES | typeof OTHER_NAMES} [names]
 * @property {Sizes} [sizes]
 */

/** @param {string} name @param {Kind} kind */
function decoder(
  name,
  { positions, attend = plain, hasPositions = true, isMixing = false, names = NAMES, sizes = SMALL },
) {
  const { vocabulary, width, inner } = sizes;
  const graph = new GraphBuilder(name);
  const tokens = graph.input(names.tokens, "int64", ["batch_size", "sequence_length"]);
  const mask = graph.input(names.mask, "int64", ["batch_size", "total_sequence_length"]);
  const places = hasPositions ? graph.input(names.positions, "int64", ["batch_size", "sequence_length"]) : "";
  const cache = /** @type {const} */ (["batch_size", sizes.heads, "past_sequence_length", sizes.size]);
  const pasts = Array.from({ length: sizes.layers }, (_, layer) => ({
    key: graph.input(`${names.past}${layer}.key`, "float32", cache),
    value: graph.input(`${names.past}${layer}.value`, "float32", cache),
  }));
  const stepOf = (/** @type {number} */ layer) => {
    const { key, value } = pasts[layer] ?? pasts[0];
    return { graph, sizes, tokens, mask, positions: places, pastKey: key, pastValue: value };
  };
  let hidden = graph.node("Gather", [graph.weights([vocabulary, width], 6), tokens]);
  if (positions !== undefined) hidden = graph.node("Add", [hidden, positions(stepOf(0))]);
  if (isMixing) {
    const mean = graph.node("ReduceMean", [hidden], { axes: [0], keepdims: 1 });
    hidden = graph.node("Add", [hidden, mean]);
  }
  const presents = [];
  for (let layer = 0; layer < sizes.layers; layer++) {
    const normed = normalize(graph, hidden, width);
    const project = () => graph.node("MatMul", [normed, graph.weights([width, width], width)]);
    const { output, key, value } = attend(stepOf(layer), project(), project(), project());
    presents.push({ key, value });
    hidden = graph.node("Add", [hidden, graph.node("MatMul", [output, graph.weights([width, width], width)])]);
    const wide = graph.node("Relu", [
      graph.node("MatMul", [normalize(graph, hidden, width), graph.weights([width, inner], width)]),
    ]);
    hidden = graph.node("Add", [hidden, graph.node("MatMul", [wide, graph.weights([inner, width], width)])]);
  }
  const logits = graph.node("MatMul", [normalize(graph, hidden, width), graph.weights([width, vocabulary], width)]);
  graph.output(logits, names.logits, "float32", ["batch_size", "sequence_length", vocabulary]);
  for (const [layer, present] of presents.entries()) {
    for (const [kind, value] of Object.entries(present)) {
      const dims = ["batch_size", sizes.heads, "past_sequence_length + sequence_length", sizes.size];
      graph.output(value, `${names.present}${layer}.${kind}`, "float32", dims);
    }
  }
  return graph.build();
}

/**
 * A decoder of what an encoder has returned, as Optimum merges them into one file: `use_cache_branch` says whether the caches hold
 * something. The first run fills those of the encoder, and the others return empty ones. It has no mask, and counts positions by
 * the length of its cache.
 *
 * @param {string} name
 */
function merged(name) {
  const sizes = SMALL;
  const { vocabulary, width, heads: count, size } = sizes;
  const graph = new GraphBuilder(name);
  const encoderMask = graph.input("encoder_attention_mask", "int64", ["batch_size", "encoder_sequence_length"]);
  const tokens = graph.input("input_ids", "int64", ["batch_size", "decoder_sequence_length"]);
  const encoded = graph.input("encoder_hidden_states", "float32", ["batch_size", "encoder_sequence_length", width]);
  const past = (/** @type {string} */ kind, /** @type {string} */ length) =>
    graph.input(`past_key_values.0.${kind}`, "float32", ["batch_size", count, length, size]);
  const [pastKey, pastValue] = [
    past("decoder.key", "past_decoder_sequence_length"),
    past("decoder.value", "past_decoder_sequence_length"),
  ];
  const [crossKey, crossValue] = [
    past("encoder.key", "encoder_sequence_length_out"),
    past("encoder.value", "encoder_sequence_length_out"),
  ];
  const isCached = graph.input("use_cache_branch", "bool", [1]);
  const mask = ones(graph, tokens, pastKey);
  const step = { graph, sizes, tokens, mask, positions: "", pastKey, pastValue };
  let hidden = graph.node("Gather", [graph.weights([vocabulary, width], 6), tokens]);
  hidden = graph.node("Add", [hidden, counted(step)]);
  const weights = () => graph.weights([width, width], width);
  const project = (/** @type {string} */ value) => graph.node("MatMul", [value, weights()]);
  const normed = normalize(graph, hidden, width);
  const own = plain(step, project(normed), project(normed), project(normed));
  hidden = graph.node("Add", [hidden, project(own.output)]);
  const branch = (/** @type {string} */ cached, /** @type {string} */ computed) => {
    const then = graph.inside((inner) => inner.output(cached, `${cached}_then`, "float32", [null, count, null, size]));
    const other = graph.inside((inner) =>
      inner.output(computed, `${cached}_else`, "float32", [null, count, null, size]),
    );
    return graph.node("If", [isCached], { then_branch: then, else_branch: other });
  };
  const empty = graph.constant("float32", [0, count, 1, size], new Float32Array(0));
  const [newKey, newValue] = [heads(step, project(encoded)), heads(step, project(encoded))];
  const query = heads(step, project(normalize(graph, hidden, width)));
  const crossed = crossAttention(step, query, branch(crossKey, newKey), branch(crossValue, newValue), encoderMask);
  hidden = graph.node("Add", [hidden, project(crossed)]);
  const logits = graph.node("MatMul", [normalize(graph, hidden, width), graph.weights([width, vocabulary], width)]);
  graph.output(logits, "logits", "float32", ["batch_size", "decoder_sequence_length", vocabulary]);
  const present = (/** @type {string} */ value, /** @type {string} */ kind, /** @type {string} */ length) =>
    graph.output(value, `present.0.${kind}`, "float32", ["batch_size", count, length, size]);
  present(own.key, "decoder.key", "past_decoder_sequence_length + decoder_sequence_length");
  present(own.value, "decoder.value", "past_decoder_sequence_length + decoder_sequence_length");
  present(branch(empty, newKey), "encoder.key", "encoder_sequence_length_out");
  present(branch(empty, newValue), "encoder.value", "encoder_sequence_length_out");
  return graph.build();
}

/**
 * The encoder of `merged`: each token, and the mean of those that count.
 *
 * @param {string} name
 */
function encoder(name) {
  const { vocabulary, width } = SMALL;
  const graph = new GraphBuilder(name);
  const lengths = /** @type {const} */ (["batch_size", "encoder_sequence_length"]);
  const tokens = graph.input("input_ids", "int64", lengths);
  const mask = graph.input("attention_mask", "int64", lengths);
  const embedded = graph.node("Gather", [graph.weights([vocabulary, width], 6), tokens]);
  const counts = graph.node("Unsqueeze", [graph.node("Cast", [mask], { to: 1 }), graph.integers([2])]);
  const sumOf = (/** @type {string} */ value) => graph.node("ReduceSum", [value, graph.integers([1])], { keepdims: 1 });
  const mean = graph.node("Div", [sumOf(graph.node("Mul", [embedded, counts])), sumOf(counts)]);
  const hidden = graph.node("Add", [embedded, mean]);
  const states = graph.node("Tanh", [graph.node("MatMul", [hidden, graph.weights([width, width], 6)])]);
  graph.output(states, "last_hidden_state", "float32", [...lengths, width]);
  return graph.build();
}

/** Returns the mask of a model that has none. @param {GraphBuilder} graph @param {string} tokens @param {string} pastKey */
function ones(graph, tokens, pastKey) {
  const [, to] = queryRange(graph, pastKey, sizeOf(graph, tokens, 1));
  const batch = graph.node("Unsqueeze", [sizeOf(graph, tokens, 0), graph.integers([0])]);
  const dims = graph.node("Concat", [batch, graph.node("Unsqueeze", [to, graph.integers([0])])], { axis: 0 });
  return graph.node("Expand", [graph.integers([1]), dims]);
}

/**
 * @param {Pick<Step, "graph" | "sizes">} step
 * @param {string} query [batch, heads, tokens, size]
 * @param {string} key of the encoder
 * @param {string} value
 * @param {string} mask [batch, length]
 */
function crossAttention({ graph, sizes }, query, key, value, mask) {
  const scores = graph.node("MatMul", [query, graph.node("Transpose", [key], { perm: [0, 1, 3, 2] })]);
  const isReal = graph.node("Unsqueeze", [graph.node("Cast", [mask], { to: 9 }), graph.integers([1, 2])]);
  const bias = graph.node("Where", [isReal, graph.scalar(0), graph.scalar(UNSEEN)]);
  const weights = graph.node("Softmax", [graph.node("Add", [scores, bias])], { axis: 3 });
  const mixed = graph.node("Transpose", [graph.node("MatMul", [weights, value])], { perm: [0, 2, 1, 3] });
  return graph.node("Reshape", [mixed, graph.integers([0, 0, sizes.width])]);
}

/** @param {GraphBuilder} graph @param {string} value @param {number} width */
function normalize(graph, value, width) {
  const scale = graph.constant("float32", [width], new Float32Array(width).fill(1));
  return graph.node("LayerNormalization", [value, scale], { axis: -1 });
}

/** A vector for each position, by the input. @param {Step} step */
function learned({ graph, sizes, positions }) {
  return graph.node("Gather", [graph.weights([sizes.positions, sizes.width], 6), positions]);
}

/** The same, where the position is the length of the cache, padding included. @param {Step} step */
function counted({ graph, sizes, tokens, pastKey }) {
  const [from, to] = queryRange(graph, pastKey, sizeOf(graph, tokens, 1));
  return graph.node("Gather", [graph.weights([sizes.positions, sizes.width], 6), range(graph, from, to)]);
}

/** @type {NonNullable<Kind["attend"]>} */
function plain(step, query, key, value) {
  return attention(step, heads(step, query), heads(step, key), heads(step, value), null);
}

/** Attention that turns queries and keys by their positions. @type {NonNullable<Kind["attend"]>} */
function rotary(step, query, key, value) {
  const { graph, positions } = step;
  const { size } = step.sizes;
  const frequencies = Float32Array.from({ length: size / 2 }, (_, index) => 10_000 ** ((-2 * index) / size));
  const place = graph.node("Unsqueeze", [graph.node("Cast", [positions], { to: 1 }), graph.integers([1, 3])]);
  const half = graph.node("Mul", [place, graph.constant("float32", [size / 2], frequencies)]);
  const angles = graph.node("Concat", [half, half], { axis: 3 });
  const [cos, sin] = [graph.node("Cos", [angles]), graph.node("Sin", [angles])];
  const turn = (/** @type {string} */ heading) => {
    const [first = "", second = ""] = graph.nodeOf(2, "Split", [heading, graph.integers([size / 2, size / 2])], {
      axis: 3,
    });
    const turned = graph.node("Concat", [graph.node("Neg", [second]), first], { axis: 3 });
    return graph.node("Add", [graph.node("Mul", [heading, cos]), graph.node("Mul", [turned, sin])]);
  };
  return attention(step, turn(heads(step, query)), turn(heads(step, key)), heads(step, value), null);
}

/** Attention that sees near tokens better: ALiBi, which needs no positions. @type {NonNullable<Kind["attend"]>} */
function linearBiases(step, query, key, value) {
  const slopes = Float32Array.from({ length: step.sizes.heads }, (_, head) => 2 ** (-2 * (head + 1)));
  return attention(step, heads(step, query), heads(step, key), heads(step, value), slopes);
}

/** Attention by the operator of ONNX Runtime, which counts lengths from the mask. @type {NonNullable<Kind["attend"]>} */
function groupQuery({ graph, sizes, mask, pastKey, pastValue }, query, key, value) {
  const total = graph.node("ReduceSum", [mask, graph.integers([1])], { keepdims: 0 });
  const lengths = graph.node("Cast", [graph.node("Sub", [total, graph.integers([1])])], { to: 6 });
  const longest = graph.node("Cast", [sizeOf(graph, mask, 1)], { to: 6 });
  const caches = [Math.cos, Math.sin].map((of) => {
    const data = Float32Array.from({ length: (sizes.positions * sizes.size) / 2 }, (_, index) => {
      const [place, pair] = [Math.floor((2 * index) / sizes.size), index % (sizes.size / 2)];
      return of(place * 10_000 ** ((-2 * pair) / sizes.size));
    });
    return graph.constant("float32", [sizes.positions, sizes.size / 2], data);
  });
  const inputs = [query, key, value, pastKey, pastValue, lengths, longest, ...caches];
  const attributes = { num_heads: sizes.heads, kv_num_heads: sizes.heads, do_rotary: 1 };
  const [output = "", newKey = "", newValue = ""] = graph.nodeOf(
    3,
    "com.microsoft.GroupQueryAttention",
    inputs,
    attributes,
  );
  return { output, key: newKey, value: newValue };
}

/**
 * @param {Step} step
 * @param {string} query [batch, heads, tokens, size]
 * @param {string} key
 * @param {string} value
 * @param {Float32Array | null} slopes of each head, for the distance of a token
 * @returns {Attended}
 */
export function attention({ graph, sizes, mask, pastKey, pastValue }, query, key, value, slopes) {
  const [keys, values] = [
    graph.node("Concat", [pastKey, key], { axis: 2 }),
    graph.node("Concat", [pastValue, value], { axis: 2 }),
  ];
  const scores = graph.node("MatMul", [query, graph.node("Transpose", [keys], { perm: [0, 1, 3, 2] })]);
  const scaled = graph.node("Mul", [scores, graph.scalar(sizes.size ** -0.5)]);
  const [from, to] = queryRange(graph, pastKey, sizeOf(graph, query, 2));
  const queries = graph.node("Unsqueeze", [range(graph, from, to), graph.integers([1])]);
  const places = graph.node("Unsqueeze", [
    range(graph, graph.constant("int64", [], BigInt64Array.of(0n)), to),
    graph.integers([0]),
  ]);
  const isBefore = graph.node("LessOrEqual", [places, queries]);
  const isReal = graph.node("Unsqueeze", [graph.node("Cast", [mask], { to: 9 }), graph.integers([1, 2])]);
  const isSeen = graph.node("And", [isBefore, isReal]);
  const bias = graph.node("Where", [isSeen, graph.scalar(0), graph.scalar(UNSEEN)]);
  let biased = graph.node("Add", [scaled, bias]);
  if (slopes !== null) {
    const distance = graph.node("Cast", [graph.node("Sub", [places, queries])], { to: 1 });
    biased = graph.node("Add", [
      biased,
      graph.node("Mul", [distance, graph.constant("float32", [sizes.heads, 1, 1], slopes)]),
    ]);
  }
  const weights = graph.node("Softmax", [biased], { axis: 3 });
  const mixed = graph.node("Transpose", [graph.node("MatMul", [weights, values])], { perm: [0, 2, 1, 3] });
  const output = graph.node("Reshape", [mixed, graph.integers([0, 0, sizes.width])]);
  return { output, key: keys, value: values };
}

/** Divides [batch, tokens, width] into [batch, heads, tokens, size]. @param {Pick<Step, "graph" | "sizes">} step @param {string} value */
export function heads({ graph, sizes }, value) {
  const divided = graph.node("Reshape", [value, graph.integers([0, 0, sizes.heads, sizes.size])]);
  return graph.node("Transpose", [divided], { perm: [0, 2, 1, 3] });
}

/**
 * Returns where the tokens of a run begin and end in the cache after it, as scalars.
 *
 * @param {GraphBuilder} graph @param {string} pastKey @param {string} count
 * @returns {[string, string]}
 */
function queryRange(graph, pastKey, count) {
  const from = sizeOf(graph, pastKey, 2);
  return [from, graph.node("Add", [from, count])];
}

/** @param {GraphBuilder} graph @param {string} from @param {string} to */
function range(graph, from, to) {
  return graph.node("Range", [from, to, graph.constant("int64", [], BigInt64Array.of(1n))]);
}

/** Returns a size as a scalar. @param {GraphBuilder} graph @param {string} value @param {number} axis */
function sizeOf(graph, value, axis) {
  const at = graph.constant("int64", [], BigInt64Array.of(BigInt(axis)));
  return graph.node("Gather", [graph.node("Shape", [value]), at]);
}
