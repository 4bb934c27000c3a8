import { GraphBuilder } from "./graph.mjs";

/**
 * Models with states. Their weights are small integers and their numbers stay below 2 ** 16, so float32 is exact: the
 * answers are the same bits in any batch, on any backend.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const sequenceModels = {
  "sequence-rows": rows,
  "sequence-layers": layers,
  "sequence-two-states": twoStates,
  "sequence-voice": voice,
  "sequence-mixes-late": mixesLate,
};

/** The numbers of a state are below this. A power of two, so that a division by it is exact. */
const BELOW = 256;
const WIDTH = 4;

/** `stateN` [batch, 4] = (`state` [batch, 4] mixed + `x` [batch, 4]) modulo 256; `y` mixes it again. @param {string} name */
function rows(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", WIDTH]);
  const state = graph.input("state", "float32", ["batch", WIDTH]);
  const next = remainder(graph, graph.node("Add", [graph.node("MatMul", [state, integers(graph, [4, 4], 3)]), x]));
  graph.output(graph.node("MatMul", [next, integers(graph, [4, 4], 5)]), "y", "float32", ["batch", WIDTH]);
  graph.output(next, "stateN", "float32", ["batch", WIDTH]);
  return graph.build();
}

/** The same with a `state` [2, batch, 4]: the batch is its second axis. @param {string} name */
function layers(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", WIDTH]);
  const state = graph.input("state", "float32", [2, "batch", WIDTH]);
  const next = layerStep(graph, x, state);
  const top = graph.node("Gather", [next, graph.constant("int64", [], BigInt64Array.of(1n))], { axis: 0 });
  graph.output(top, "y", "float32", ["batch", WIDTH]);
  graph.output(next, "stateN", "float32", [2, "batch", WIDTH]);
  return graph.build();
}

/**
 * Two states beside each other: `state` [2, ?, 4], whose batch has no name, and `length` int64 [batch], the number of
 * steps. `y` [batch, 4] depends on both.
 *
 * @param {string} name
 */
function twoStates(name) {
  const graph = new GraphBuilder(name);
  const length = graph.input("length", "int64", ["batch"]);
  const x = graph.input("x", "float32", ["batch", WIDTH]);
  const state = graph.input("state", "float32", [2, null, WIDTH]);
  const next = layerStep(graph, x, state);
  const longer = graph.node("Add", [length, graph.integers([1])]);
  const counted = graph.node("Unsqueeze", [graph.node("Cast", [longer], { to: 1 }), graph.integers([1])]);
  const top = graph.node("Gather", [next, graph.constant("int64", [], BigInt64Array.of(0n))], { axis: 0 });
  graph.output(graph.node("Add", [top, counted]), "y", "float32", ["batch", WIDTH]);
  graph.output(next, "stateN", "float32", [2, null, WIDTH]);
  graph.output(longer, "lengthN", "int64", ["batch"]);
  return graph.build();
}

/**
 * The signature of silero-vad, whose dims have no names: `input` [?, ?], `state` [2, ?, 128] and the rate `sr`, an int64
 * scalar that the whole batch shares, to `output` [?, 1] and `stateN` [?, ?, ?]. At 8 kHz, samples count once, at 16 kHz
 * twice.
 *
 * @param {string} name
 */
function voice(name) {
  const graph = new GraphBuilder(name);
  const input = graph.input("input", "float32", [null, null]);
  const state = graph.input("state", "float32", [2, null, 128]);
  const rate = graph.node("Div", [
    graph.input("sr", "int64", []),
    graph.constant("int64", [], BigInt64Array.of(8000n)),
  ]);
  const sum = graph.node("ReduceSum", [input, graph.integers([1])], { keepdims: 1 });
  const heard = graph.node("Mul", [sum, graph.node("Cast", [rate], { to: 1 })]);
  const mixed = graph.node("MatMul", [state, integers(graph, [2, 128, 128], 3)]);
  const next = remainder(graph, graph.node("Add", [mixed, heard]));
  const top = graph.node("Gather", [next, graph.constant("int64", [], BigInt64Array.of(1n))], { axis: 0 });
  graph.output(graph.node("MatMul", [top, integers(graph, [128, 1], 5)]), "output", "float32", [null, 1]);
  graph.output(next, "stateN", "float32", [null, null, null]);
  return graph.build();
}

/**
 * Wrong on purpose, from its second step: `stateN` [batch, 1] is 1000 after the first step, and from then on `y` [batch, 4]
 * has the sum of all rows added.
 *
 * @param {string} name
 */
function mixesLate(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", WIDTH]);
  const state = graph.input("state", "float32", ["batch", 1]);
  const isLate = graph.node("Floor", [graph.node("Mul", [state, graph.scalar(1 / 1000)])]);
  const sum = graph.node("ReduceSum", [x, graph.integers([0])], { keepdims: 1 });
  const late = graph.node("Mul", [graph.node("Relu", [isLate]), sum]);
  graph.output(graph.node("Add", [x, late]), "y", "float32", ["batch", WIDTH]);
  const next = graph.node("Add", [graph.node("Mul", [state, graph.scalar(0)]), graph.scalar(1000)]);
  graph.output(next, "stateN", "float32", ["batch", 1]);
  return graph.build();
}

/** @param {GraphBuilder} graph @param {string} x @param {string} state */
function layerStep(graph, x, state) {
  const mixed = graph.node("MatMul", [state, integers(graph, [2, 4, 4], 3)]);
  return remainder(graph, graph.node("Add", [mixed, graph.node("Unsqueeze", [x, graph.integers([0])])]));
}

/** @param {GraphBuilder} graph @param {string} value */
function remainder(graph, value) {
  const whole = graph.node("Floor", [graph.node("Mul", [value, graph.scalar(1 / BELOW)])]);
  return graph.node("Sub", [value, graph.node("Mul", [whole, graph.scalar(BELOW)])]);
}

/** @param {GraphBuilder} graph @param {readonly number[]} dims @param {number} seed */
function integers(graph, dims, seed) {
  const count = dims.reduce((product, size) => product * size, 1);
  const data = Float32Array.from({ length: count }, (_, index) => (seed * index + index * index) % 7);
  return graph.constant("float32", dims, data);
}
