import * as ort from "onnxruntime-web/wasm";
import { describe, expect, it } from "vitest";
import { generateModel, modelNames } from "@framebatch/models/generate";
import {
  float32,
  int64,
  largestDifference,
  load,
  numbers,
  run,
  tensorOf,
  type Tensors,
  valuesOf,
} from "./run-model.js";

/** The input and its item's dims, for the models of one float32 input with the batch in front. */
const plainModels = {
  "mlp-tiny": ["x", 64],
  "mlp-784": ["x", 784],
  "mlp-small": ["x", 8],
  "mlp-unnamed-batch": ["x", 8],
  "cnn-28": ["image", 1, 28, 28],
  "cnn-64": ["image", 3, 64, 64],
  "two-dynamic-dims": ["image", 3, 5, 7],
  "variable-length": ["seq", 6],
  "audio-mel": ["samples", 1520],
  "audio-embedding": ["mel", 76, 32],
  "audio-word-64": ["embeddings", 16, 96],
} as const;

describe("generated models", () => {
  it("are the same bytes each time", () => {
    for (const name of modelNames) {
      const [first, second] = [generateModel(name), generateModel(name)];
      expect(Buffer.compare(first.bytes, second.bytes), name).toBe(0);
    }
  });

  it("load in ONNX Runtime, all of them", async () => {
    for (const name of modelNames) {
      const session = await load(name);
      expect(session.outputNames, name).not.toHaveLength(0);
      await session.release();
    }
  });

  it("are refused by a name that none has", () => {
    expect(() => generateModel("mlp-huge")).toThrow('expected the name of a generated model, got "mlp-huge"');
  });

  it.each(Object.entries(plainModels))(
    "%s gives each row of a batch what it gives that row alone",
    async (name, [input, ...dims]) => {
      const size = dims.reduce<number>((product, dim) => product * dim, 1);
      const session = await load(name);
      const [output = ""] = session.outputNames;
      const together = tensorOf(await session.run({ [input]: float32(numbers(3 * size), [3, ...dims]) }), output);
      const rows = valuesOf(together);
      const rowSize = rows.length / 3;
      for (const row of [0, 1, 2]) {
        const alone = tensorOf(
          await session.run({ [input]: float32(numbers(size, row * size), [1, ...dims]) }),
          output,
        );
        const expected = float32(rows.slice(row * rowSize, (row + 1) * rowSize), alone.dims);
        expect(alone.size).toBe(rowSize);
        expect(largestDifference(alone, expected)).toBeLessThan(1e-4);
      }
      await session.release();
    },
  );
});

describe("models of a fixed batch", () => {
  it("answer as the dynamic one does", async () => {
    const x = float32(numbers(32), [4, 8]);
    const dynamic = await run("mlp-small", { x }, "y");
    expect(largestDifference(await run("mlp-fixed-4", { x }, "y"), dynamic)).toBeLessThan(1e-6);
    const first = await run("mlp-fixed-1", { x: float32(numbers(8), [1, 8]) }, "y");
    expect(valuesOf(first)).toEqual(valuesOf(dynamic).slice(0, 4));
  });

  it("refuse every other batch", async () => {
    await expect(run("mlp-fixed-1", { x: float32(numbers(24), [3, 8]) }, "y")).rejects.toThrow("invalid dimensions");
    await expect(run("mlp-fixed-4", { x: float32(numbers(24), [3, 8]) }, "y")).rejects.toThrow("invalid dimensions");
  });
});

describe("the text encoder", () => {
  const tokens = [5, 17, 999, 0, 42];

  it("does not change its answer for padding on the right that the mask leaves out", async () => {
    const alone = await run(
      "text-encoder",
      { ids: int64(tokens, [1, 5]), mask: int64([1, 1, 1, 1, 1], [1, 5]) },
      "embedding",
    );
    const ids = int64([...tokens, 0, 7, 7, ...tokens, 1, 2, 3], [2, 8]);
    const mask = int64([1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1], [2, 8]);
    const padded = await run("text-encoder", { ids, mask }, "embedding");
    const rows = valuesOf(padded);
    expect(padded.dims).toEqual([2, 128]);
    expect(largestDifference(alone, float32(rows.slice(0, 128), [1, 128]))).toBeLessThan(1e-5);
    expect(largestDifference(alone, float32(rows.slice(128), [1, 128]))).toBeGreaterThan(1e-2);
  });

  it("gives zeros for a row that is all padding", async () => {
    const row = await run(
      "text-encoder",
      { ids: int64(tokens, [1, 5]), mask: int64([0, 0, 0, 0, 0], [1, 5]) },
      "embedding",
    );
    expect(valuesOf(row).every((value) => value === 0)).toBe(true);
  });
});

describe("models of one tensor type", () => {
  const x: Record<string, ort.Tensor> = {
    float32: new ort.Tensor("float32", Float32Array.of(0, 1.5, -2, 40), [1, 4]),
    float64: new ort.Tensor("float64", Float64Array.of(0, 1.5, -2, 40), [1, 4]),
    int8: new ort.Tensor("int8", Int8Array.of(0, 1, -2, 40), [1, 4]),
    uint8: new ort.Tensor("uint8", Uint8Array.of(0, 1, 2, 40), [1, 4]),
    int16: new ort.Tensor("int16", Int16Array.of(0, 1, -2, 40), [1, 4]),
    uint16: new ort.Tensor("uint16", Uint16Array.of(0, 1, 2, 40), [1, 4]),
    int32: new ort.Tensor("int32", Int32Array.of(0, 1, -2, 40), [1, 4]),
    uint32: new ort.Tensor("uint32", Uint32Array.of(0, 1, 2, 2_000_000_000), [1, 4]),
    int64: new ort.Tensor("int64", BigInt64Array.of(0n, 1n, -2n, 2n ** 53n + 1n), [1, 4]),
    uint64: new ort.Tensor("uint64", BigUint64Array.of(0n, 1n, 2n, 2n ** 53n + 1n), [1, 4]),
  };

  it.each(Object.entries(x))("affine-%s doubles and adds one", async (type, tensor) => {
    const y = await run(`affine-${type}`, { x: tensor }, "y");
    expect(y.type).toBe(type);
    expect([...y.data]).toEqual([...tensor.data].map(doubledPlusOne));
  });

  it("affine-float16 doubles and adds one, in half precision", async () => {
    const [zero, one, three, minusTwo, minusThree] = [0, 0x3c00, 0x4200, 0xc000, 0xc200] as const;
    const bits = Uint16Array.of(zero, one, minusTwo, zero);
    const y = await run("affine-float16", { x: new ort.Tensor("float16", bits, [1, 4]) }, "y");
    expect([...halves(y)]).toEqual([one, three, minusThree, one]);
  });

  it("not-bool and identity-string keep to their types", async () => {
    const flags = await run("not-bool", { x: new ort.Tensor("bool", [true, false, false, true], [1, 4]) }, "y");
    expect([...flags.data]).toEqual([0, 1, 1, 0]);
    const words = ["", "naïve", "日本", "🙂"];
    const strings = await run("identity-string", { x: new ort.Tensor("string", words, [1, 4]) }, "y");
    expect(strings.data).toEqual(words);
  });
});

describe("models with unusual axes", () => {
  it("two-inputs adds and subtracts row by row", async () => {
    const feeds: Tensors = { a: float32([1, 2, 3, 4], [1, 4]), b: float32([10, 20, 30, 40], [1, 4]) };
    expect([...(await run("two-inputs", feeds, "sum")).data]).toEqual([11, 22, 33, 44]);
    expect([...(await run("two-inputs", feeds, "difference")).data]).toEqual([-9, -18, -27, -36]);
  });

  it("shared-scalar multiplies every row by the same number", async () => {
    const feeds: Tensors = { x: float32([1, 2, 3, 4, 5, 6, 7, 8], [2, 4]), gain: float32([3], []) };
    expect([...(await run("shared-scalar", feeds, "y")).data]).toEqual([3, 6, 9, 12, 15, 18, 21, 24]);
  });

  it("inner-batch-axis keeps the items of its second axis apart", async () => {
    const [first, second] = [numbers(16), numbers(16, 50)];
    const stacked = [first.slice(0, 8), second.slice(0, 8), first.slice(8), second.slice(8)].flat();
    const together = await run("inner-batch-axis", { state: float32(stacked, [2, 2, 8]) }, "next_state");
    const alone = await run("inner-batch-axis", { state: float32(second, [2, 1, 8]) }, "next_state");
    const rows = valuesOf(together);
    const expected = float32([...rows.slice(8, 16), ...rows.slice(24, 32)], [2, 1, 8]);
    expect(largestDifference(alone, expected)).toBeLessThan(1e-6);
  });

  it("mlp-unnamed-batch declares a dynamic batch without a name", async () => {
    const session = await load("mlp-unnamed-batch");
    expect(session.inputMetadata[0]).toMatchObject({ name: "x", shape: [4_294_967_295, 8] });
  });
});

describe("misbehaving models", () => {
  it("mixes-rows lets a row's batch-mates change its answer", async () => {
    const alone = await run("mixes-rows", { x: float32([1, 2, 3, 4], [1, 4]) }, "y");
    const together = await run("mixes-rows", { x: float32([1, 2, 3, 4, 3, 2, 1, 0], [2, 4]) }, "y");
    expect([...alone.data]).toEqual([0, 0, 0, 0]);
    expect([...together.data]).toEqual([-1, 0, 1, 2, 1, 0, -1, -2]);
  });

  it("no-batch-output gives one total, whatever the batch", async () => {
    const total = await run("no-batch-output", { x: float32(numbers(12), [3, 4]) }, "total");
    expect(total.dims).toEqual([4]);
  });

  it("fails-on-marked-row fails the whole batch for one id beyond 15", async () => {
    const good = await run("fails-on-marked-row", { id: int64([0, 15], [2, 1]) }, "y");
    expect(good.dims).toEqual([2, 1, 4]);
    await expect(run("fails-on-marked-row", { id: int64([0, 16], [2, 1]) }, "y")).rejects.toThrow("out of data bounds");
  });
});

function doubledPlusOne(value: string | number | bigint): number | bigint {
  return typeof value === "bigint" ? value * 2n + 1n : Number(value) * 2 + 1;
}

/** The bits of half-precision numbers: a Float16Array where the runtime has one, else already a Uint16Array. */
function halves(tensor: ort.Tensor): Uint16Array {
  const { data } = tensor;
  if (!ArrayBuffer.isView(data)) throw new Error("expected half-precision numbers, got strings");
  return new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2);
}
