import { GraphBuilder } from "./graph.mjs";

/**
 * Models that a batcher must notice, refuse or contain.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const misbehavingModels = {
  "mixes-rows": mixesRows,
  "no-batch-output": noBatchOutput,
  "fails-on-marked-row": failsOnMarkedRow,
};

/** `y` = `x` [batch, 4] less the mean over the batch: each row's answer depends on its batch-mates. @param {string} name */
function mixesRows(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  const mean = graph.node("ReduceMean", [x], { axes: [0], keepdims: 1 });
  graph.output(graph.node("Sub", [x, mean]), "y", "float32", ["batch", 4]);
  return graph.build();
}

/** `x` [batch, 4] to `total` [4], the sum over the batch: there are no rows to hand back. @param {string} name */
function noBatchOutput(name) {
  const graph = new GraphBuilder(name);
  const x = graph.input("x", "float32", ["batch", 4]);
  const total = graph.node("ReduceSum", [x, graph.integers([0])], { keepdims: 0 });
  graph.output(total, "total", "float32", [4]);
  return graph.build();
}

/** `id` int64 [batch, 1], 0 to 15, to `y` [batch, 1, 4]. On WASM one id beyond 15 fails the run of the whole batch; on
 * WebGPU it gives arbitrary numbers. @param {string} name */
function failsOnMarkedRow(name) {
  const graph = new GraphBuilder(name);
  const id = graph.input("id", "int64", ["batch", 1]);
  const row = graph.node("Gather", [graph.weights([16, 4], 6), id]);
  graph.output(row, "y", "float32", ["batch", 1, 4]);
  return graph.build();
}
