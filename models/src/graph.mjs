import { encodeModel } from "./onnx-writer.mjs";
import { seededRandom } from "./random.mjs";

/**
 * @typedef {import("./onnx-writer.mjs").Attributes} Attributes
 * @typedef {import("./onnx-writer.mjs").Dim} Dim
 * @typedef {import("./onnx-writer.mjs").ElementType} ElementType
 * @typedef {{ name: string, bytes: Uint8Array<ArrayBuffer> }} Model
 * @typedef {Readonly<Record<string, (name: string) => Model>>} ModelGenerators generators by the name of the model
 */

/**
 * Builds a graph step by step. Values have names; every method that creates a value returns its name.
 * Weights come from one seeded sequence, so two graphs built by the same steps have the same weights.
 */
export class GraphBuilder {
  /** @readonly */
  #name;
  /** @readonly */
  #random = seededRandom(1);
  /** @readonly @type {import("./onnx-writer.mjs").Node[]} */
  #nodes = [];
  /** @readonly @type {import("./onnx-writer.mjs").Initializer[]} */
  #initializers = [];
  /** @readonly @type {import("./onnx-writer.mjs").ValueInfo[]} */
  #inputs = [];
  /** @readonly @type {import("./onnx-writer.mjs").ValueInfo[]} */
  #outputs = [];
  /** @readonly @type {import("./onnx-writer.mjs").ValueInfo[]} */
  #values = [];
  #inner = 0;

  /** @readonly prefix of the names of values, which differ from those of all enclosing graphs */
  #prefix;

  /** @param {string} name @param {string} [prefix] */
  constructor(name, prefix = "") {
    this.#name = name;
    this.#prefix = prefix;
  }

  /**
   * Builds a graph inside this one, for a branch or the body of a loop. It may use the values of this graph.
   *
   * @param {(inner: GraphBuilder) => void} make
   * @returns {import("./onnx-writer.mjs").Graph}
   */
  inside(make) {
    const inner = new GraphBuilder(`inside_${this.#nodes.length}`, `${this.#prefix}inside_${this.#inner++}_`);
    make(inner);
    return inner.#graph;
  }

  /** @param {string} name @param {ElementType} type @param {readonly Dim[]} dims */
  input(name, type, dims) {
    this.#inputs.push({ name, type, dims });
    return name;
  }

  /** @param {string} opType @param {readonly string[]} inputs @param {Attributes} [attributes] */
  node(opType, inputs, attributes = {}) {
    const [output = ""] = this.nodeOf(1, opType, inputs, attributes);
    return output;
  }

  /**
   * Adds a node with several outputs.
   *
   * @param {number} count
   * @param {string} opType
   * @param {readonly string[]} inputs
   * @param {Attributes} [attributes]
   */
  nodeOf(count, opType, inputs, attributes = {}) {
    const name = `${this.#prefix}${opType}_${this.#nodes.length}`;
    const outputs = [name, ...Array.from({ length: count - 1 }, (_, index) => `${name}_${index + 1}`)];
    this.#nodes.push({ opType, inputs, outputs, attributes });
    return outputs;
  }

  /**
   * Makes a value an output of the graph, under its public name.
   *
   * @param {string} value @param {string} name @param {ElementType} type @param {readonly Dim[]} dims
   */
  output(value, name, type, dims) {
    this.#nodes.push({ opType: "Identity", inputs: [value], outputs: [name], attributes: {} });
    this.#outputs.push({ name, type, dims });
  }

  /**
   * Declares the shape of a value inside the graph, as many exporters do.
   *
   * @param {string} name
   * @param {readonly Dim[]} dims
   */
  describe(name, dims) {
    this.#values.push({ name, type: "float32", dims });
    return name;
  }

  /** @param {ElementType} type @param {readonly number[]} dims @param {ArrayBufferView} data */
  constant(type, dims, data) {
    const name = `${this.#prefix}constant_${this.#initializers.length}`;
    this.#initializers.push({ name, type, dims, data });
    return name;
  }

  /** Adds a list of integers, for shapes and axes. @param {readonly number[]} values */
  integers(values) {
    return this.constant("int64", [values.length], BigInt64Array.from(values, BigInt));
  }

  /** @param {number} value */
  scalar(value) {
    return this.constant("float32", [], Float32Array.of(value));
  }

  /**
   * Adds random weights that keep the variance of values from layer to layer.
   *
   * @param {readonly number[]} dims
   * @param {number} fanIn the number of weighted values in each sum
   */
  weights(dims, fanIn) {
    return this.#uniform(dims, Math.sqrt(6 / fanIn));
  }

  /** @param {number} count */
  bias(count) {
    return this.#uniform([count], 0.1);
  }

  /**
   * Adds a fully connected layer over [rows, inputs].
   *
   * @param {string} value
   * @param {number} inputs
   * @param {number} outputs
   */
  dense(value, inputs, outputs) {
    const operands = [value, this.weights([outputs, inputs], inputs), this.bias(outputs)];
    return this.node("Gemm", operands, { transB: 1 });
  }

  /**
   * Adds a 3×3 convolution that keeps height and width.
   *
   * @param {string} value
   * @param {number} inputs
   * @param {number} outputs
   */
  convolution(value, inputs, outputs) {
    const operands = [value, this.weights([outputs, inputs, 3, 3], inputs * 9), this.bias(outputs)];
    return this.node("Conv", operands, { kernel_shape: [3, 3], pads: [1, 1, 1, 1] });
  }

  /** @param {readonly number[]} dims @param {number} limit */
  #uniform(dims, limit) {
    const count = dims.reduce((product, size) => product * size, 1);
    const data = Float32Array.from({ length: count }, () => this.#random() * limit);
    return this.constant("float32", dims, data);
  }

  /** @returns {import("./onnx-writer.mjs").Graph} */
  get #graph() {
    return {
      name: this.#name,
      nodes: this.#nodes,
      initializers: this.#initializers,
      inputs: this.#inputs,
      outputs: this.#outputs,
      values: this.#values,
    };
  }

  /** @returns {Model} */
  build() {
    return { name: this.#name, bytes: encodeModel(this.#graph) };
  }
}
