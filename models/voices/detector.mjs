import { GraphBuilder } from "../src/graph.mjs";
import { FRAME } from "./rate.mjs";
import { BANDS, BINS, bands, FLOOR, WINDOW, waves, WINDOWS } from "./spectrum.mjs";

/** What the detector remembers of a stream. */
export const MEMORY = 96;

/** What is trained, in the order of the file that train.py writes. */
const PARAMETERS = Object.freeze({
  hidden: [MEMORY, WINDOWS * BANDS],
  hiddenBias: [MEMORY],
  heard: [3 * MEMORY, MEMORY],
  heardBias: [3 * MEMORY],
  remembered: [3 * MEMORY, MEMORY],
  rememberedBias: [3 * MEMORY],
  voice: [1, MEMORY],
  voiceBias: [1],
});

/**
 * Returns the detector as an ONNX model: one step of `audio` [batch, 512] and `memory` [batch, 96] to `voice` [batch, 1]
 * and `memoryN` [batch, 96]. The step is a spectrum, a layer, and a gated recurrent unit (Cho et al., 2014).
 *
 * @param {string} name
 * @param {Float32Array} parameters as train.py writes them
 */
export function detectorModel(name, parameters) {
  const graph = new GraphBuilder(name);
  const audio = graph.input("audio", "float32", ["batch", FRAME]);
  const memory = graph.input("memory", "float32", ["batch", MEMORY]);
  const trained = constantsOf(graph, parameters);
  const dense = (/** @type {string} */ value, /** @type {keyof typeof PARAMETERS} */ layer) =>
    graph.node("Gemm", [value, trained(layer), trained(`${layer}Bias`)], { transB: 1 });
  const hidden = graph.node("Relu", [dense(spectrum(graph, audio), "hidden")]);
  const next = remember(graph, [dense(hidden, "heard"), dense(memory, "remembered")], memory);
  graph.output(graph.node("Sigmoid", [dense(next, "voice")]), "voice", "float32", ["batch", 1]);
  graph.output(next, "memoryN", "float32", ["batch", MEMORY]);
  return graph.build();
}

/**
 * Returns the model that train.py learns from: `audio` [batch, 512] to `powers` [batch, 64].
 *
 * @param {string} name
 */
export function powersModel(name) {
  const graph = new GraphBuilder(name);
  const audio = graph.input("audio", "float32", ["batch", FRAME]);
  graph.output(powers(graph, audio), "powers", "float32", ["batch", WINDOWS * BANDS]);
  return graph.build();
}

/** @param {GraphBuilder} graph @param {string} audio */
function spectrum(graph, audio) {
  return graph.node("Log", [graph.node("Add", [powers(graph, audio), graph.scalar(FLOOR)])]);
}

/** The power of each band in each window. @param {GraphBuilder} graph @param {string} audio */
function powers(graph, audio) {
  const windows = graph.node("Reshape", [audio, graph.integers([-1, WINDOWS, WINDOW])]);
  const found = graph.node("MatMul", [windows, graph.constant("float32", [WINDOW, 2 * BINS], waves())]);
  const squares = graph.node("Mul", [found, found]);
  const [cosines, sines] = graph.nodeOf(2, "Split", [squares, graph.integers([BINS, BINS])], { axis: 2 });
  const power = graph.node("Add", [cosines ?? "", sines ?? ""]);
  const inBands = graph.node("MatMul", [power, graph.constant("float32", [BINS, BANDS], bands())]);
  return graph.node("Reshape", [inBands, graph.integers([-1, WINDOWS * BANDS])]);
}

/** @param {GraphBuilder} graph @param {readonly [string, string]} both what is heard and remembered @param {string} memory */
function remember(graph, both, memory) {
  const parts = (/** @type {string} */ value) =>
    graph.nodeOf(3, "Split", [value, graph.integers([MEMORY, MEMORY, MEMORY])], { axis: 1 });
  const [[resetX = "", keepX = "", newX = ""], [resetM = "", keepM = "", newM = ""]] = [parts(both[0]), parts(both[1])];
  const gate = (/** @type {string[]} */ ...values) => graph.node("Sigmoid", [graph.node("Add", values)]);
  const reset = gate(resetX, resetM);
  const keep = gate(keepX, keepM);
  const fresh = graph.node("Tanh", [graph.node("Add", [newX, graph.node("Mul", [reset, newM])])]);
  const change = graph.node("Mul", [keep, graph.node("Sub", [memory, fresh])]);
  return graph.node("Add", [fresh, change]);
}

/** @param {GraphBuilder} graph @param {Float32Array} parameters */
function constantsOf(graph, parameters) {
  /** @type {Map<string, string>} */
  const names = new Map();
  let place = 0;
  for (const [name, dims] of Object.entries(PARAMETERS)) {
    const count = dims.reduce((product, size) => product * size, 1);
    names.set(name, graph.constant("float32", dims, parameters.slice(place, (place += count))));
  }
  if (place !== parameters.length) throw new Error(`expected ${place} parameters, got ${parameters.length}`);
  return (/** @type {string} */ name) => names.get(name) ?? "";
}
