import { GraphBuilder } from "../src/graph.mjs";
import { seededRandom } from "../src/random.mjs";
import { CONTROLS, VIEW_SIZE } from "./traffic.mjs";

/** The widths of the layers, including input and output. */
export const SIZES = Object.freeze([VIEW_SIZE, 64, 64, CONTROLS]);

/** Each layer as a part of one array of parameters: weights [outputs, inputs], then biases [outputs]. */
const LAYERS = SIZES.slice(1).map((outputs, index) => ({ inputs: SIZES[index], outputs }));

export const PARAMETERS = LAYERS.reduce((sum, { inputs, outputs }) => sum + (inputs + 1) * outputs, 0);

/** The network before its training: random weights that keep the variance of values, and no biases. */
export function untrainedDriver() {
  const random = seededRandom(1);
  return Float32Array.from(
    LAYERS.flatMap(({ inputs, outputs }) => {
      const weights = Array.from({ length: inputs * outputs }, () => random() * Math.sqrt(3 / inputs));
      return [...weights, ...Array.from({ length: outputs }, () => 0)];
    }),
  );
}

/**
 * Returns the network as an ONNX model: `view` [batch, 15] to `controls` [batch, 2].
 *
 * @param {string} name
 * @param {Float32Array} parameters
 */
export function driverModel(name, parameters) {
  const graph = new GraphBuilder(name);
  let value = graph.input("view", "float32", ["batch", VIEW_SIZE]);
  let place = 0;
  for (const [layer, { inputs, outputs }] of LAYERS.entries()) {
    const take = (/** @type {number} */ count) => parameters.slice(place, (place += count));
    const weights = graph.constant("float32", [outputs, inputs], take(inputs * outputs));
    const biases = graph.constant("float32", [outputs], take(outputs));
    value = graph.node("Gemm", [value, weights, biases], { transB: 1 });
    value = graph.node(activationOf(layer), [value]);
  }
  graph.output(value, "controls", "float32", ["batch", CONTROLS]);
  return graph.build();
}

/** @type {import("../src/graph.mjs").ModelGenerators} */
export const untrainedDrivers = { "drivers-untrained": (name) => driverModel(name, untrainedDriver()) };

/**
 * Returns a model that runs many drivers at once, for training. Its weights are inputs: `layer0` [drivers, inputs, outputs]
 * and `biases0` [drivers, 1, outputs], and so on; `views` [drivers, cars, 15] to `controls` [drivers, cars, 2].
 */
export function manyDriversModel() {
  const graph = new GraphBuilder("many-drivers");
  let value = graph.input("views", "float32", ["drivers", "cars", VIEW_SIZE]);
  for (const [layer, { inputs, outputs }] of LAYERS.entries()) {
    const weights = graph.input(`layer${layer}`, "float32", ["drivers", inputs, outputs]);
    const biases = graph.input(`biases${layer}`, "float32", ["drivers", 1, outputs]);
    value = graph.node("Add", [graph.node("MatMul", [value, weights]), biases]);
    value = graph.node(activationOf(layer), [value]);
  }
  graph.output(value, "controls", "float32", ["drivers", "cars", CONTROLS]);
  return graph.build();
}

/**
 * The weights of many drivers as the inputs of `manyDriversModel`.
 *
 * @param {readonly Float32Array[]} drivers the parameters of each
 */
export function stackDrivers(drivers) {
  let place = 0;
  return LAYERS.map(({ inputs, outputs }) => {
    const [from, biasesFrom] = [place, place + inputs * outputs];
    place = biasesFrom + outputs;
    const weights = new Float32Array(drivers.length * inputs * outputs);
    const biases = new Float32Array(drivers.length * outputs);
    for (const [driver, parameters] of drivers.entries()) {
      biases.set(parameters.subarray(biasesFrom, place), driver * outputs);
      for (let input = 0, target = driver * inputs * outputs; input < inputs; input++) {
        for (let output = 0; output < outputs; output++) weights[target++] = parameters[from + output * inputs + input];
      }
    }
    return { inputs, outputs, weights, biases };
  });
}

/** @param {number} layer */
function activationOf(layer) {
  return layer === LAYERS.length - 1 ? "Tanh" : "Relu";
}
