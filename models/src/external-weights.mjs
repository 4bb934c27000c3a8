import { encodeModel } from "./onnx-writer.mjs";
import { seededRandom } from "./random.mjs";

/** The path by which the model refers to its weights. */
export const WEIGHTS_PATH = "weights.data";

/**
 * The size of a model whose weights are in a file of their own.
 *
 * @typedef {object} Size
 * @property {number} matrices number of matrices, one after the other
 * @property {number} width rows and columns of each matrix; a multiple of 16
 */

/**
 * Returns the ONNX file of y = x · W0 · W1 …: `x` and `y` float32 [batch, width].
 *
 * @param {Size} size
 */
export function modelWithExternalWeights({ matrices, width }) {
  const bytes = width * width * Float32Array.BYTES_PER_ELEMENT;
  const layers = Array.from({ length: matrices }, (_, index) => `${index}`);
  return encodeModel({
    name: `external-${matrices}-${width}`,
    nodes: layers.map((name, index) => ({
      opType: "MatMul",
      inputs: [index === 0 ? "x" : `y${index - 1}`, `w${name}`],
      outputs: [index === matrices - 1 ? "y" : `y${name}`],
      attributes: {},
    })),
    initializers: layers.map((name, index) => ({
      name: `w${name}`,
      type: /** @type {const} */ ("float32"),
      dims: [width, width],
      file: { path: WEIGHTS_PATH, offset: index * bytes, bytes },
    })),
    inputs: [{ name: "x", type: "float32", dims: ["batch", width] }],
    outputs: [{ name: "y", type: "float32", dims: ["batch", width] }],
    values: [],
  });
}

/**
 * Returns the weights, one matrix after the other: the same random values, which keep the variance of x, from another
 * one on each time.
 *
 * @param {Size} size
 */
export function* externalWeights({ matrices, width }) {
  const random = seededRandom(1);
  const matrix = Float32Array.from({ length: width * width }, () => random() * Math.sqrt(3 / width));
  for (let index = 0; index < matrices; index++) {
    const start = (index * 16) % matrix.length;
    const turned = new Float32Array(matrix.length);
    turned.set(matrix.subarray(start));
    turned.set(matrix.subarray(0, start), matrix.length - start);
    yield new Uint8Array(turned.buffer);
  }
}
