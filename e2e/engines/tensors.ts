import { createBatchedModel, type Item, type ModelOptions, type TensorData, type TensorElements } from "framebatch";
import { createRuntime } from "./runtime.js";
import { expectEqual, type Promises } from "./promise.js";

const COUNT = 6;
/** A selection of types. `e2e/predictions/models.spec.ts` tests every type. */
const TYPES = ["float16", "float64", "int8", "uint32", "int64", "uint64"];

const NUMERIC: Promises = Object.fromEntries(
  TYPES.map((type) => [
    `${type} tensors: the output is twice the input plus one`,
    async () => {
      const isFraction = type.startsWith("float");
      const items = Array.from({ length: COUNT }, (_, index) => numbers(4, index, isFraction));
      const outputs = await predictAll(
        `affine-${type}`,
        items.map((data) => ({ x: data })),
      );
      expectEqual(
        outputs.map(({ y }) => toNumbers(type, y)),
        items.map((data) => data.map((value) => 2 * value + 1)),
      );
    },
  ]),
);

export const tensors: Promises = {
  ...NUMERIC,

  async "int64 values beyond the safe integers keep every bit"() {
    const [output] = await predictAll("affine-int64", [{ x: [2n ** 61n, -(2n ** 61n), 1n, 0n] }]);
    expectEqual(Array.from(output?.["y"] ?? [], String), [2n ** 62n + 1n, -(2n ** 62n) + 1n, 3n, 1n].map(String));
  },

  async "bool tensors: the output is the negated input"() {
    const outputs = await predictAll("not-bool", [{ x: [true, false, true, true] }, { x: [0, 0, 1, 0] }]);
    expectEqual(
      outputs.map(({ y }) => Array.from(y ?? [], Number)),
      [
        [0, 1, 0, 0],
        [1, 1, 0, 1],
      ],
    );
  },

  async "string tensors: the output equals the input"() {
    const words = [
      ["ä", "", "𝄞", "<b>"],
      ["a", "b", "c", "d"],
    ];
    const outputs = await predictAll(
      "identity-string",
      words.map((x) => ({ x })),
    );
    expectEqual(
      outputs.map(({ y }) => Array.from(y ?? [], String)),
      words,
    );
  },

  async "a batch axis that is not the first axis is split correctly"() {
    const items = Array.from({ length: COUNT }, (_, index) => numbers(16, index));
    const outputs = await predictAll(
      "inner-batch-axis",
      items.map((state) => ({ state })),
    );
    const direct = await runDirectly(
      "inner-batch-axis",
      items.map((state) => ({ state: { data: state, dims: [2, 1, 8] } })),
    );
    expectClose(outputs, direct);
  },

  async "items with different values of a shared input are answered correctly"() {
    const items = Array.from({ length: COUNT }, (_, index) => ({ x: numbers(4, index), gain: 1 + (index % 2) }));
    const outputs = await predictAll(
      "shared-scalar",
      items.map(({ x, gain }) => ({ x, gain: { data: [gain], dims: [] } })),
    );
    expectEqual(
      outputs.map(({ y }) => Array.from(y ?? [], Number)),
      items.map(({ x, gain }) => x.map((value) => value * gain)),
    );
  },

  async "each item gets its own inputs and outputs"() {
    const items = Array.from({ length: COUNT }, (_, index) => ({ a: numbers(4, index), b: numbers(4, index + 100) }));
    const outputs = await predictAll("two-inputs", items);
    const sums = items.map(({ a, b }) => a.map((value, index) => value + (b[index] ?? NaN)));
    expectEqual(
      outputs.map(({ sum }) => Array.from(sum ?? [], Number)),
      sums,
    );
  },

  async "a batch with a fixed size of four is padded"() {
    const items = Array.from({ length: COUNT }, (_, index) => numbers(8, index));
    const outputs = await predictAll(
      "mlp-fixed-4",
      items.map((x) => ({ x })),
    );
    const copies = items.map((x) => ({ x: { data: [x, x, x, x].flat(), dims: [4, 8] } }));
    expectClose(outputs, await runDirectly("mlp-fixed-4", copies));
  },

  async "sequences padded to a bucket are trimmed to their own length"() {
    const items = [1, 3, 4, 7].map((length) => numbers(length, length));
    const options = { padding: { seq: { buckets: [4, 8] } } };
    const outputs = await predictAll(
      "variable-length",
      items.map((seq) => ({ seq })),
      options,
    );
    expectEqual(
      outputs.map(({ y }) => Array.from(y ?? [], Number)),
      items.map((seq) => seq.map((value) => 2 * value + 1)),
    );
  },
};

/**
 * Returns numbers that differ from item to item. Fractions are quarters, which every floating-point type holds exactly.
 */
function numbers(length: number, seed: number, isFraction = true): number[] {
  const whole = Array.from({ length }, (_, index) => (7 * seed + 3 * index + seed * index) % 53);
  return isFraction ? whole.map((value) => value / 4) : whole;
}

/** Loads a model and sends all items in one burst. */
async function predictAll(
  model: string,
  items: readonly Item[],
  options: ModelOptions = {},
): Promise<Record<string, TensorData>[]> {
  const loaded = await createBatchedModel(`/models/${model}.onnx`, { executionProviders: ["wasm"], ...options });
  try {
    const outputs = await loaded.predictMany(items);
    return outputs.map((output) => Object.fromEntries(Object.entries(output).map(([name, { data }]) => [name, data])));
  } finally {
    await loaded.dispose();
  }
}

/** Converts tensor elements to numbers. Without Float16Array in the engine, float16 elements are raw bits. */
function toNumbers(type: string, data: TensorElements | undefined): number[] {
  const elements = Array.from(data ?? [], Number);
  return type === "float16" && data instanceof Uint16Array ? elements.map(halfToNumber) : elements;
}

function halfToNumber(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

async function runDirectly(
  model: string,
  items: readonly Readonly<Record<string, { readonly data: readonly number[]; readonly dims: readonly number[] }>>[],
): Promise<number[][]> {
  const { InferenceSession, Tensor } = await createRuntime();
  const session = await InferenceSession.create(`/models/${model}.onnx`);
  const all: number[][] = [];
  for (const item of items) {
    const feeds = Object.entries(item).map(([name, { data, dims }]) => [name, new Tensor("float32", [...data], dims)]);
    const [output] = Object.values(await session.run(Object.fromEntries(feeds)));
    all.push(output !== undefined && "data" in output ? Array.from(output.data, Number) : []);
  }
  return all;
}

/** Compares with direct answers, in which copies of the row may follow the first row. */
function expectClose(outputs: readonly Record<string, TensorData>[], direct: readonly number[][]): void {
  for (const [index, output] of outputs.entries()) {
    const mine = Object.values(output).flatMap((data) => Array.from(data, Number));
    const apart = mine.map((value, at) => Math.abs(value - (direct[index]?.[at] ?? NaN)));
    expectEqual(apart.every((distance) => distance <= 1e-4) && mine.length > 0, true, `item ${index} is right`);
  }
}
