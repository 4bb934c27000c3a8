import { GraphBuilder } from "./graph.mjs";

/**
 * Two 3×3 convolutions with ReLU and 2×2 max pooling, then a linear layer. Maps `image` [batch, channels, size, size]
 * to `logits` [batch, 10].
 *
 * @param {string} name
 * @param {{ size: number, channels: readonly [number, number, number] }} shape `channels`: of the input, then after the
 *   first and after the second convolution
 */
function cnn(name, { size, channels }) {
  const graph = new GraphBuilder(name);
  const [input, first, second] = channels;
  let value = graph.input("image", "float32", ["batch", input, size, size]);
  value = pooled(graph, graph.convolution(value, input, first));
  value = pooled(graph, graph.convolution(value, first, second));
  value = graph.dense(graph.node("Flatten", [value]), second * (size / 4) ** 2, 10);
  graph.output(value, "logits", "float32", ["batch", 10]);
  return graph.build();
}

/** @param {GraphBuilder} graph @param {string} value */
function pooled(graph, value) {
  return graph.node("MaxPool", [graph.node("Relu", [value])], { kernel_shape: [2, 2], strides: [2, 2] });
}

/** @type {import("./graph.mjs").ModelGenerators} */
export const cnnModels = {
  "cnn-28": (name) => cnn(name, { size: 28, channels: [1, 16, 32] }),
  "cnn-64": (name) => cnn(name, { size: 64, channels: [3, 32, 64] }),
};
