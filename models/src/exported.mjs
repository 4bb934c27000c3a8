import { encodeModel } from "./onnx-writer.mjs";

/**
 * Files as exporters write them today, which a runtime may refuse for something that no generated model has.
 *
 * @typedef {import("./onnx-writer.mjs").Node} Node
 * @typedef {import("./onnx-writer.mjs").ValueInfo} ValueInfo
 * @typedef {import("./onnx-writer.mjs").Versions} Versions
 */

/** @param {string} opType @param {readonly string[]} inputs @param {readonly string[]} outputs @param {import("./onnx-writer.mjs").Attributes} [attributes] @returns {Node} */
const node = (opType, inputs, outputs, attributes = {}) => ({ opType, inputs, outputs, attributes });

/** @param {string} name @param {import("./onnx-writer.mjs").ElementType} type @param {readonly import("./onnx-writer.mjs").Dim[]} dims */
const tensor = (name, type, dims) => ({ name, type, dims });

const ROWS = [tensor("x", "float32", [null, 2])];

/** @param {string} name @param {readonly Node[]} nodes @param {readonly ValueInfo[]} outputs @param {Versions} [versions] */
const encode = (name, nodes, outputs, versions) =>
  encodeModel({ name, nodes, inputs: ROWS, outputs, initializers: [], values: [] }, versions);

/** @param {string} label @param {string} scores */
const classifier = (label, scores) =>
  node("ai.onnx.ml.LinearClassifier", ["x"], [label, scores], {
    coefficients: Float32Array.of(1, 0, 0, 1, -1, -1),
    intercepts: Float32Array.of(0, 0, 0),
    classlabels_strings: { texts: ["cat", "dog", "eel"] },
    post_transform: "SOFTMAX",
  });

/** `x` [?, 2] to `label` [?] (cat, dog, eel: the larger of x, or neither) and `p` [?, 3], as scikit-learn exports it. */
export function exportedClassifier() {
  return encode(
    "classifier",
    [classifier("label", "p")],
    [tensor("label", "string", [null]), tensor("p", "float32", [null, 3])],
  );
}

/** The same as skl2onnx writes it without options: the scores are a sequence of maps, `output_probability`. */
export function exportedZipMap() {
  const nodes = [
    classifier("label", "p"),
    node("ai.onnx.ml.ZipMap", ["p"], ["output_probability"], { classlabels_strings: { texts: ["cat", "dog", "eel"] } }),
  ];
  /** @type {readonly ValueInfo[]} */
  const outputs = [tensor("label", "string", [null]), { name: "output_probability", type: "maps", dims: [] }];
  return encode("zip-map", nodes, outputs);
}

/** y = x + x in the versions of the file that are given, by the way of a Cast, which opset 28 knows anew. @param {Versions} versions */
export function exportedAt(versions) {
  const nodes = [node("Cast", ["x"], ["same"], { to: 1 }), node("Add", ["same", "x"], ["y"])];
  return encode("versions", nodes, [tensor("y", "float32", [null, 2])], versions);
}

/** y = x mod x: what Mod computes has changed in opset 28. @param {Versions} versions */
export function exportedMod(versions) {
  return encode("mod", [node("Mod", ["x", "x"], ["y"], { fmod: 1 })], [tensor("y", "float32", [null, 2])], versions);
}

/**
 * y = x / by in whole numbers, rows of 2: ONNX Runtime refuses a 0 in `by`. With `isPicky`, y = x / (by - by * by): it refuses a 1 as well.
 *
 * @param {boolean} isPicky
 */
export function exportedQuotient(isPicky = false) {
  const [x, by, y] = [
    tensor("x", "int64", [null, 2]),
    tensor("by", "int64", [null, 2]),
    tensor("y", "int64", [null, 2]),
  ];
  const picky = [node("Mul", ["by", "by"], ["square"]), node("Sub", ["by", "square"], ["divisor"])];
  const nodes = [...(isPicky ? picky : []), node("Div", ["x", isPicky ? "divisor" : "by"], ["y"])];
  return encodeModel({ name: "quotient", nodes, inputs: [x, by], outputs: [y], initializers: [], values: [] });
}

/** `y` as bfloat16 and `z` as float32, both the positive part of `x` [?, 2], as networks of bfloat16 have them. */
export function exportedBfloat() {
  const nodes = [node("Relu", ["x"], ["z"]), node("Cast", ["z"], ["y"], { to: 16 })];
  return encode("bfloat", nodes, [tensor("y", "bfloat16", [null, 2]), tensor("z", "float32", [null, 2])]);
}
