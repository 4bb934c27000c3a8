import { expect, it } from "vitest";
import { exportedAt, exportedMod, exportedZipMap } from "@framebatch/models/exported";
import { generateModel } from "@framebatch/models/generate";
import { interfaceName, isInterfaceName, modelInterface } from "./model-interface.js";

const interfaceOf = (model: string) => modelInterface(generateModel(model).bytes, `${model}.onnx`, "Model");

it("has the name, the type, the dims and the batch axis of each tensor", () => {
  expect(interfaceOf("inner-batch-axis").code).toBe(`\
/** The inputs and outputs of inner-batch-axis.onnx, as \`npx framebatch types\` has read them. */
export interface Model {
  inputs: {
    /** float32 [2, batch, 8]; axis 1 is the batch, so an item has dims [2, 8] */
    state: Float32Array;
  };
  outputs: {
    /** float32 [2, batch, 8]; axis 1 is the batch, so an item has dims [2, 8] */
    next_state: Float32Array;
  };
}
`);
});

it("says which tensors the whole batch shares", () => {
  expect(interfaceOf("shared-scalar").code).toContain("; the whole batch shares it */");
});

it.each([
  ["affine-float64", "x: Float64Array;"],
  ["affine-int64", "x: BigInt64Array;"],
  ["affine-uint8", "x: Uint8Array;"],
  ["identity-string", "x: readonly string[];"],
  ["not-bool", ": Uint8Array;"],
  ["affine-float16", 'import type { Float16Data } from "framebatch";\n'],
])("gives each type its array: %s has %s", (model, member) => {
  expect(interfaceOf(model).code).toContain(member);
});

it("quotes names that are no identifiers, and no name ends a comment", () => {
  const { code } = modelInterface(generateModel("names-of-markup").bytes, "*/ evil.onnx", "Model");
  expect(code).toContain("*\\/ evil.onnx");
  expect(code.match(/\/\*\*/g)).toHaveLength(code.match(/\*\//g)?.length ?? 0);
  expect(code).toMatch(/^ {4}"[^\n]+": Float32Array;$/m);
});

it("has no batch axis where the file does not tell it, and says why", () => {
  const { code, unknownBatch } = interfaceOf("recurrent-unnamed");
  expect(unknownBatch).toContain('set batchAxis: { "state": 1 }');
  expect(code).toContain("set the option `batchAxis`. */");
  expect(code).toContain("    /** float32 [2, ?, 128] */\n    state: Float32Array;\n");
});

it.each([[""], ["<!doctype html><title>Not found</title>"], ["version https://git-lfs.github.com/spec/v1\n"]])(
  "refuses bytes that are no ONNX model: %j",
  (text) => {
    const bytes = new TextEncoder().encode(text);
    expect(() => modelInterface(bytes, "a.onnx", "A")).toThrow(
      expect.objectContaining({ code: "MODEL_INVALID", message: expect.stringContaining("expected an ONNX model") }),
    );
  },
);

it.each([
  ["digits.onnx", "Digits"],
  ["text-encoder.v2_int8.onnx", "TextEncoderV2Int8"],
  ["3d.onnx", "Model3d"],
  ["größe.ONNX", "Größe"],
  [".onnx", "Model"],
  ["float32-array.onnx", "ModelFloat32Array"],
  ["float16_data.onnx", "ModelFloat16Data"],
  ["class.onnx", "Class"],
])("names the interface after the file: %s gives %s", (file, name) => {
  expect(interfaceName(file)).toBe(name);
});

it.each(["Float32Array", "BigInt64Array", "Float16Data", "digits", "1st", "My-Model", "default"])(
  "does not take %s as the name of an interface",
  (name) => {
    expect(isInterfaceName(name)).toBe(false);
  },
);

it("refuses what a model that is loaded refuses, in the same words", () => {
  const refused = (bytes: Uint8Array, message: RegExp) =>
    expect(() => modelInterface(bytes, "a.onnx", "A")).toThrow(
      expect.objectContaining({ code: "MODEL_INVALID", message: expect.stringMatching(message) }),
    );
  refused(
    exportedMod({ ir: 14, opset: 28 }),
    /^expected a model of operators of opset 26 or less, got Mod of opset 28/,
  );
  refused(exportedAt({ ir: 15, opset: 17 }), /^expected a model of IR version 13 or less, got 15/);
  refused(exportedZipMap(), /^output "output_probability": .*outputs: \["label"\].*"zipmap": False/);
});

it("leaves out the outputs that callers do not ask for", () => {
  const { code } = modelInterface(exportedZipMap(), "a.onnx", "A", {}, ["label"]);
  expect(code).toContain("label: readonly string[];");
  expect(code).not.toContain("output_probability");
  expect(() => modelInterface(exportedZipMap(), "a.onnx", "A", {}, ["lable"])).toThrow(/did you mean|"label"/);
});
