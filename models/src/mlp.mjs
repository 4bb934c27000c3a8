import { GraphBuilder } from "./graph.mjs";

/**
 * A multi-layer perceptron with ReLU between the layers. Maps `x` [batch, first size] to `y` [batch, last size].
 *
 * @param {string} name
 * @param {readonly [number, ...number[]]} sizes the width of each layer, including input and output
 * @param {import("./graph.mjs").Dim} batch
 */
function mlp(name, [inputs, ...layers], batch) {
  const graph = new GraphBuilder(name);
  let value = graph.input("x", "float32", [batch, inputs]);
  let width = inputs;
  for (const [index, outputs] of layers.entries()) {
    if (index > 0) value = graph.node("Relu", [value]);
    value = graph.dense(value, width, outputs);
    width = outputs;
  }
  graph.output(value, "y", "float32", [batch, width]);
  return graph.build();
}

/** @type {[number, ...number[]]} */
const SMALL = [8, 16, 4];

/**
 * The four models with the sizes `SMALL` have equal weights and answers. They differ only in the declared batch.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const mlpModels = {
  "mlp-tiny": (name) => mlp(name, [64, 128, 64, 10], "batch"),
  "mlp-784": (name) => mlp(name, [784, 512, 256, 10], "batch"),
  "mlp-small": (name) => mlp(name, SMALL, "batch"),
  "mlp-fixed-1": (name) => mlp(name, SMALL, 1),
  "mlp-fixed-4": (name) => mlp(name, SMALL, 4),
  "mlp-unnamed-batch": (name) => mlp(name, SMALL, null),
};
