import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeAnswer } from "./decode.js";
import { encodeRequest } from "./encode.js";
import { DATATYPES } from "./datatypes.js";
import { RemoteErrors } from "./remote-errors.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { Tensor, TensorInfo, TensorType } from "@framebatch/rows/tensor/tensor.js";

const errors = new RemoteErrors("https://inference.example/v2/models/m/infer");

const TYPES = Object.keys(DATATYPES).filter((type): type is TensorType => type in DATATYPES);

const info = (type: TensorType, dims: TensorInfo["dims"]): TensorInfo => ({
  name: "y",
  type,
  dims,
  symbols: dims.map(() => null),
  batchAxis: 0,
});

/** Values that each type can hold and that survive JSON. */
const VALUES: Readonly<Record<TensorType, readonly (number | bigint | string)[]>> = {
  float16: [0, 1.5, -65504],
  float32: [0.1, -1e30, 3],
  float64: [0.1, -1e300, 3],
  int8: [-128, 0, 127],
  int16: [-32768, 0, 32767],
  int32: [-2147483648, 0, 2147483647],
  int64: [-9007199254740991n, 0n, 9007199254740991n],
  uint8: [0, 1, 255],
  uint16: [0, 1, 65535],
  uint32: [0, 1, 4294967295],
  uint64: [0n, 1n, 9007199254740991n],
  bool: [1, 0, 1],
  string: ["", "Grüße", "\u{FEFF}\u{1F600} \0"],
};

function tensorOf(type: TensorType): Tensor {
  const element = elementOf(type);
  const data = element.create(3);
  for (const [index, value] of VALUES[type].entries()) Reflect.set(data, index, element.parse(value) ?? value);
  if (type === "bool") Object.assign(data, [1, 0, 1]);
  return { type, dims: [3, 1], data };
}

/** What a server that returns its inputs as outputs answers. */
function echo({ headers, body }: ReturnType<typeof encodeRequest>) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const size = Number(headers["inference-header-content-length"] ?? bytes.byteLength);
  const { inputs } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, size)));
  const json = new TextEncoder().encode(JSON.stringify({ outputs: inputs }));
  const whole = new Uint8Array([...json, ...bytes.subarray(size)]);
  const sizeHeader =
    headers["inference-header-content-length"] === undefined
      ? {}
      : { "inference-header-content-length": String(json.byteLength) };
  return { headers: new Headers(sizeHeader), body: whole };
}

function answer(output: object, rest: readonly number[] = [], sizeHeader?: string) {
  const json = new TextEncoder().encode(JSON.stringify({ outputs: [output] }));
  const size = sizeHeader ?? (rest.length === 0 ? undefined : String(json.byteLength));
  const headers = new Headers(size === undefined ? {} : { "inference-header-content-length": size });
  return { headers, body: new Uint8Array([...json, ...rest]) };
}

describe("a request and its answer", () => {
  it.each(TYPES.flatMap((type) => [[type, false] as const, [type, true] as const]))(
    "carries %s (binary: %s)",
    (type, isBinary) => {
      const tensor = tensorOf(type);
      const echoed = decodeAnswer(
        echo(encodeRequest("1", { y: tensor }, [info(type, [null, 1])], isBinary ? "binary" : "json")),
        [info(type, [null, 1])],
        errors,
      );
      expect(echoed).toEqual({ outputs: { y: tensor }, nulls: [] });
    },
  );

  it("carries numbers that are not finite as binary data, and says that JSON cannot", () => {
    const tensor: Tensor = { type: "float32", dims: [3], data: Float32Array.of(NaN, -Infinity, -0) };
    const echoed = decodeAnswer(
      echo(encodeRequest("1", { y: tensor }, [], "binary")),
      [info("float32", [null])],
      errors,
    );
    expect(echoed.outputs["y"]).toEqual(tensor);
    expect(() => encodeRequest("1", { y: tensor }, [], "json")).toThrow(
      'input "y": expected finite numbers, since JSON',
    );
  });

  it("reads nested lists, and marks null, which is NaN or an infinity, unless it is told which number it is", () => {
    const data = [
      [1, null],
      [3, 4],
    ];
    const got = answer({ name: "y", datatype: "FP32", shape: [2, 2], data });
    const { outputs, nulls } = decodeAnswer(got, [info("float32", [null, 2])], errors);
    expect(outputs["y"]?.data).toEqual(Float32Array.of(1, NaN, 3, 4));
    expect(nulls).toMatchObject([
      { output: "y", marks: { dims: [2, 2], data: Uint8Array.of(0, 1, 0, 0) }, error: { code: "REMOTE_INVALID" } },
    ]);
    const told = decodeAnswer(got, [info("float32", [null, 2])], errors, -Infinity);
    expect(told).toMatchObject({ outputs: { y: { data: Float32Array.of(1, -Infinity, 3, 4) } }, nulls: [] });
  });

  it.each([
    [[null], [3, 1], [3]],
    [[null], [1, 1, 1], [1]],
    [[null, 1], [3], [3, 1]],
    [
      [null, null, 1],
      [3, 2],
      [3, 2, 1],
    ],
    [
      [null, 2],
      [3, 2, 1],
      [3, 2],
    ],
    [[], [3, 1], [3, 1]],
  ])("has the declared dims %j if sizes of 1 at the end differ: %j", (declared, shape, dims) => {
    const data = Array.from({ length: shape.reduce((product, size) => product * size, 1) }, (_, index) => index);
    const got = answer({ name: "y", datatype: "FP32", shape, data });
    const { outputs } = decodeAnswer(got, [info("float32", declared)], errors);
    expect(outputs["y"]).toEqual({ type: "float32", dims, data: Float32Array.from(data) });
  });

  it("finds each output among binary and JSON ones, whatever their order", () => {
    const outputs = [
      { name: "other", datatype: "UINT8", shape: [2], parameters: { binary_data_size: 2 } },
      { name: "z", datatype: "INT32", shape: [1], data: [7] },
      { name: "y", datatype: "UINT8", shape: [1], parameters: { binary_data_size: 1 } },
    ];
    const json = new TextEncoder().encode(JSON.stringify({ outputs }));
    const headers = new Headers({ "inference-header-content-length": String(json.byteLength) });
    const { outputs: tensors } = decodeAnswer(
      { headers, body: new Uint8Array([...json, 1, 2, 3]) },
      [info("uint8", [null]), { ...info("int32", [null]), name: "z" }],
      errors,
    );
    expect(tensors).toEqual({
      y: { type: "uint8", dims: [1], data: Uint8Array.of(3) },
      z: { type: "int32", dims: [1], data: Int32Array.of(7) },
    });
  });
});

describe("an answer that does not fit", () => {
  const right = { name: "y", datatype: "FP32", shape: [1, 2], data: [1, 2] };
  const binary = { ...right, data: undefined, parameters: { binary_data_size: 8 } };
  const cases: readonly [string, ReturnType<typeof answer>, string][] = [
    ["another name", answer({ ...right, name: "z" }), 'no output "y"'],
    ["another type", answer({ ...right, datatype: "FP64" }), 'output "y" of type string "FP64", not FP32'],
    ["another size", answer({ ...right, shape: [1, 3] }), 'output "y" with dims "[1,3]", not [?, 2]'],
    ["another rank", answer({ ...right, shape: [2] }), "let the model's metadata on the server declare the dims"],
    ["another size of 1", answer({ ...right, shape: [1, 1, 2] }), 'output "y" with dims "[1,1,2]", not [?, 2]'],
    ["a negative size", answer({ ...right, shape: [-1, 2] }), 'output "y" with dims'],
    ["a size beyond every array", answer({ ...right, shape: [2 ** 52, 2] }), 'output "y" with dims'],
    ["too few elements", answer({ ...right, data: [1] }), 'output "y" without 2 elements'],
    ["elements of another kind", answer({ ...right, data: ["1", {}] }), 'output "y" without 2 elements'],
    ["no elements", answer({ ...right, data: undefined }), 'output "y" without 2 elements'],
    ["more elements than it has", answer({ ...right, shape: [1e9, 2] }), 'output "y" without 2000000000 elements'],
    ["fewer bytes than it says", answer(binary, [1, 2, 3, 4]), "4 bytes for an output of number 8"],
    [
      "a size that is no number",
      answer({ ...binary, parameters: { binary_data_size: "8" } }, [1]),
      "bytes for an output",
    ],
    ["more bytes than it says", answer(binary, [1, 2, 3, 4, 5, 6, 7, 8, 9]), "9 bytes of binary data for outputs of 8"],
    [
      "a part of an element",
      answer({ ...binary, parameters: { binary_data_size: 7 } }, [1, 2, 3, 4, 5, 6, 7]),
      "without 2 elements",
    ],
    ["a description beyond the body", answer(right, [], "1000"), 'bytes for a description of "1000"'],
    ["a description cut short", answer(right, [], "9"), "9 bytes that are not JSON, or not all of it"],
    [
      "two outputs of one name",
      {
        headers: new Headers(),
        body: new TextEncoder().encode(JSON.stringify({ outputs: [right, { ...right, data: [3, 4] }] })),
      },
      'two outputs of the name "y"',
    ],
    ["no outputs", { headers: new Headers(), body: new TextEncoder().encode('{"outputs":{}}') }, "no list of outputs"],
    ["null", { headers: new Headers(), body: new TextEncoder().encode("null") }, "no list of outputs"],
    [
      "a null output",
      { headers: new Headers(), body: new TextEncoder().encode('{"outputs":[null]}') },
      "an output without a description",
    ],
    ["nothing", { headers: new Headers(), body: new Uint8Array() }, "0 bytes that are not JSON"],
  ];

  it.each(cases)("is rejected: %s", (_, got, message) => {
    let thrown: unknown;
    try {
      decodeAnswer(got, [info("float32", [null, 2])], errors);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "REMOTE_INVALID", message: expect.stringContaining(message) });
  });

  it("says how to let a page read the size of binary data", () => {
    const body = new TextEncoder().encode("{}");
    const headers = new Headers({ "content-type": "application/octet-stream" });
    expect(() => decodeAnswer({ headers, body }, [], errors)).toThrow(
      "Access-Control-Expose-Headers: inference-header-content-length",
    );
  });

  it("is an error or the right outputs, and nothing else, whatever a server sends", () => {
    const descriptions = fc.record(
      {
        name: fc.constantFrom("y", "__proto__", "constructor"),
        datatype: fc.constantFrom("FP32", "BYTES", "toString"),
        shape: fc.oneof(fc.array(fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.anything())), fc.anything()),
        data: fc.anything(),
        parameters: fc.oneof(fc.record({ binary_data_size: fc.oneof(fc.integer(), fc.anything()) }), fc.anything()),
      },
      { requiredKeys: [] },
    );
    const bodies = fc.tuple(fc.json(), fc.array(descriptions), fc.uint8Array(), fc.boolean(), fc.string());
    fc.assert(
      fc.property(bodies, ([any, outputs, rest, isAny, size]) => {
        const text = isAny ? any : stringified({ outputs });
        const json = new TextEncoder().encode(text);
        const sizes = isAny ? size.replaceAll(/[^\x20-\x7e]/g, "") : String(json.byteLength);
        const headers = new Headers({ "inference-header-content-length": sizes });
        const expected = [info("float32", [null, 2]), info("string", [null])];
        for (const wanted of expected) {
          try {
            const { outputs: found } = decodeAnswer(
              { headers, body: new Uint8Array([...json, ...rest]) },
              [wanted],
              errors,
            );
            const { y } = found;
            expect(y?.data.length).toBe(y?.dims.reduce((product, dim) => product * dim, 1));
          } catch (error) {
            expect(error).toMatchObject({ code: "REMOTE_INVALID" });
          }
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});

function stringified(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) => (typeof entry === "bigint" ? String(entry) : entry));
}
