import { GraphBuilder } from "./graph.mjs";
import { elementTypes } from "./onnx-writer.mjs";

/**
 * @typedef {import("./onnx-writer.mjs").ElementType} ElementType
 * @typedef {"float32" | "float64" | "int32" | "int64"} ArithmeticType types of ONNX Runtime's CPU arithmetic
 */

/** @type {Record<ArithmeticType, (value: number) => ArrayBufferView>} */
const constantData = {
  float32: (value) => Float32Array.of(value),
  float64: (value) => Float64Array.of(value),
  int32: (value) => Int32Array.of(value),
  int64: (value) => BigInt64Array.of(BigInt(value)),
};

/**
 * Maps `x` [batch, 4] to `y` = 2x + 1, both of type `type`. Computes in a type that holds all values of `type`.
 *
 * @param {ElementType} type
 * @param {ArithmeticType} computedIn
 * @returns {(name: string) => import("./graph.mjs").Model}
 */
function affine(type, computedIn) {
  return rowwise(type, (graph, x) => {
    const [two, one] = [2, 1].map((value) => graph.constant(computedIn, [], constantData[computedIn](value)));
    const doubled = graph.node("Mul", [cast(graph, x, type, computedIn), two]);
    return cast(graph, graph.node("Add", [doubled, one]), computedIn, type);
  });
}

/** @param {GraphBuilder} graph @param {string} value @param {ElementType} from @param {ElementType} to */
function cast(graph, value, from, to) {
  return from === to ? value : graph.node("Cast", [value], { to: elementTypes[to] });
}

/**
 * @param {ElementType} type
 * @param {(graph: GraphBuilder, x: string) => string} body
 * @returns {(name: string) => import("./graph.mjs").Model}
 */
function rowwise(type, body) {
  return (name) => {
    const graph = new GraphBuilder(name);
    const x = graph.input("x", type, ["batch", 4]);
    graph.output(body(graph, x), "y", type, ["batch", 4]);
    return graph.build();
  };
}

/**
 * One model for each tensor type, for tests of every type on its way through the page and the worker.
 *
 * @type {import("./graph.mjs").ModelGenerators}
 */
export const elementTypeModels = {
  "affine-float32": affine("float32", "float32"),
  "affine-float16": affine("float16", "float32"),
  "affine-float64": affine("float64", "float64"),
  "affine-int8": affine("int8", "int32"),
  "affine-uint8": affine("uint8", "int32"),
  "affine-int16": affine("int16", "int32"),
  "affine-uint16": affine("uint16", "int32"),
  "affine-int32": affine("int32", "int32"),
  "affine-uint32": affine("uint32", "int64"),
  "affine-int64": affine("int64", "int64"),
  "affine-uint64": affine("uint64", "int64"),
  "not-bool": rowwise("bool", (graph, x) => graph.node("Not", [x])),
  "identity-string": rowwise("string", (_graph, x) => x),
};
