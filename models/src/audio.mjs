import { GraphBuilder } from "./graph.mjs";
import { elementTypes } from "./onnx-writer.mjs";

/**
 * The models of a page that listens, with the signatures and about the costs of openWakeWord's and silero-vad's. The mel
 * spectrogram is a real one; the others have random weights.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const audioModels = {
  "audio-mel": mel,
  "audio-embedding": embedding,
  "audio-word-64": (name) => word(name, 64),
  "audio-word-96": (name) => word(name, 96),
  "audio-word-128": (name) => word(name, 128),
  "audio-voice": voice,
};

const RATE = 16_000;
const WINDOW = 400; // 25 ms
const HOP = 160; // 10 ms
const BANDS = 32;
const EMBEDDING_CHANNELS = /** @type {const} */ ([
  [1, 24],
  [24, 40],
  [40, 64],
  [64, 96],
]);
const VOICE_CHANNELS = /** @type {const} */ ([
  [129, 128],
  [128, 64],
  [64, 128],
]);

/**
 * Maps `samples` [batch, samples] at 16 kHz to `mel` [batch, frames, 32]: the logarithms of the energies in 32 bands of
 * windows of 25 ms, one every 10 ms.
 *
 * @param {string} name
 */
function mel(name) {
  const graph = new GraphBuilder(name);
  const samples = graph.input("samples", "float32", ["batch", "samples"]);
  const channel = graph.node("Unsqueeze", [samples, graph.integers([1])]);
  const energies = spectrum(graph, channel, WINDOW, HOP, (re, im) =>
    graph.node("Add", [graph.node("Mul", [re, re]), graph.node("Mul", [im, im])]),
  );
  const bins = WINDOW / 2 + 1;
  const bands = graph.node("Conv", [energies, graph.constant("float32", [BANDS, bins, 1], triangles(bins))]);
  const decibels = graph.node("Log", [graph.node("Add", [bands, graph.scalar(1e-6)])]);
  graph.output(graph.node("Transpose", [decibels], { perm: [0, 2, 1] }), "mel", "float32", ["batch", "frames", BANDS]);
  return graph.build();
}

/** Maps `mel` [batch, 76, 32] to `embedding` [batch, 96]. @param {string} name */
function embedding(name) {
  const graph = new GraphBuilder(name);
  const frames = graph.input("mel", "float32", ["batch", 76, BANDS]);
  let value = graph.node("Unsqueeze", [graph.node("Mul", [frames, graph.scalar(0.1)]), graph.integers([1])]);
  for (const [inputs, outputs] of EMBEDDING_CHANNELS) {
    value = graph.node("Relu", [graph.convolution(value, inputs, outputs)]);
    if (inputs > 1) value = graph.node("MaxPool", [value], { kernel_shape: [2, 2], strides: [2, 2] });
  }
  const pooled = graph.node("GlobalAveragePool", [value]);
  graph.output(graph.node("Flatten", [pooled]), "embedding", "float32", ["batch", 96]);
  return graph.build();
}

/**
 * Maps `embeddings` [batch, 16, 96] to `score` [batch, 1].
 *
 * @param {string} name @param {number} width of its hidden layers
 */
function word(name, width) {
  const graph = new GraphBuilder(name);
  let value = graph.node("Flatten", [graph.input("embeddings", "float32", ["batch", 16, 96])]);
  value = graph.node("Relu", [graph.dense(value, 16 * 96, width)]);
  value = graph.node("Relu", [graph.dense(value, width, width)]);
  graph.output(graph.node("Sigmoid", [graph.dense(value, width, 1)]), "score", "float32", ["batch", 1]);
  return graph.build();
}

/**
 * One step of a voice detector. Maps `input` [batch, samples], of which it takes 64 of context and 512 new ones, `state`
 * [2, batch, 128] and the rate `sr` (an int64 scalar) to `output` [batch, 1] and `stateN` [2, batch, 128].
 *
 * @param {string} name
 */
function voice(name) {
  const graph = new GraphBuilder(name);
  const input = graph.input("input", "float32", ["batch", "samples"]);
  const state = graph.input("state", "float32", [2, "batch", 128]);
  const rate = graph.node("Cast", [graph.input("sr", "int64", [])], { to: elementTypes.float32 });
  const scaled = graph.node("Mul", [input, graph.node("Div", [rate, graph.scalar(RATE)])]);
  let value = spectrum(graph, graph.node("Unsqueeze", [scaled, graph.integers([1])]), 256, 128, (re, im) =>
    graph.node("Add", [graph.node("Abs", [re]), graph.node("Abs", [im])]),
  );
  for (const [inputs, outputs] of VOICE_CHANNELS) {
    const operands = [value, graph.weights([outputs, inputs, 3], inputs * 3), graph.bias(outputs)];
    value = graph.node("Relu", [graph.node("Conv", operands, { pads: [1, 1] })]);
  }
  const features = graph.node("ReduceMean", [value], { axes: [2], keepdims: 0 });
  const [hidden, cell] = memoryCell(graph, features, state);
  graph.output(graph.node("Sigmoid", [graph.dense(graph.node("Relu", [hidden]), 128, 1)]), "output", "float32", [
    "batch",
    1,
  ]);
  const next = [hidden, cell].map((part) => graph.node("Unsqueeze", [part, graph.integers([0])]));
  graph.output(graph.node("Concat", next, { axis: 0 }), "stateN", "float32", [2, "batch", 128]);
  return graph.build();
}

/**
 * Adds one step of an LSTM with 128 units. Returns its next hidden and cell state.
 *
 * @param {GraphBuilder} graph
 * @param {string} value [batch, 128]
 * @param {string} state [2, batch, 128], the hidden and the cell state
 */
function memoryCell(graph, value, state) {
  const part = (/** @type {bigint} */ index) =>
    graph.node("Gather", [state, graph.constant("int64", [], BigInt64Array.of(index))], { axis: 0 });
  const [hidden, cell] = [part(0n), part(1n)];
  const sums = graph.node("Add", [graph.dense(value, 128, 512), graph.dense(hidden, 128, 512)]);
  const gates = graph.nodeOf(4, "Split", [sums], { axis: 1 });
  const [input = "", output = "", forget = ""] = gates.map((gate) => graph.node("Sigmoid", [gate]));
  const candidate = graph.node("Tanh", [gates[3] ?? ""]);
  const next = graph.node("Add", [graph.node("Mul", [forget, cell]), graph.node("Mul", [input, candidate])]);
  return [graph.node("Mul", [output, graph.node("Tanh", [next])]), next];
}

/**
 * Adds a short-time Fourier transform of [batch, 1, samples]. Returns what `merge` makes of the real and the imaginary
 * parts, [batch, bins, frames].
 *
 * @param {GraphBuilder} graph
 * @param {string} samples
 * @param {number} window @param {number} hop in samples
 * @param {(real: string, imaginary: string) => string} merge
 */
function spectrum(graph, samples, window, hop, merge) {
  const bins = window / 2 + 1;
  const [real, imaginary] = [Math.cos, Math.sin].map((wave) => {
    const kernel = graph.constant("float32", [bins, 1, window], waves(wave, bins, window));
    return graph.node("Conv", [samples, kernel], { strides: [hop] });
  });
  return merge(real ?? "", imaginary ?? "");
}

/**
 * Returns a wave under a Hann window for each bin.
 *
 * @param {(angle: number) => number} wave @param {number} bins @param {number} window
 */
function waves(wave, bins, window) {
  return Float32Array.from({ length: bins * window }, (_, index) => {
    const [bin, at] = [Math.floor(index / window), index % window];
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / window);
    return hann * wave((2 * Math.PI * bin * at) / window);
  });
}

/** Returns the weight of each bin in each band: triangles of equal width in mel. @param {number} bins */
function triangles(bins) {
  const top = toMel(RATE / 2);
  return Float32Array.from({ length: BANDS * bins }, (_, index) => {
    const [band, bin] = [Math.floor(index / bins), index % bins];
    const place = (toMel((bin * RATE) / WINDOW) / top) * (BANDS + 1);
    return Math.max(0, 1 - Math.abs(place - (band + 1)));
  });
}

/** @param {number} hertz */
function toMel(hertz) {
  return 2595 * Math.log10(1 + hertz / 700);
}
