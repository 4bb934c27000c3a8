import type { TensorInfo, TensorType } from "framebatch";
import { expect, test } from "vitest";
import { generateItems, MAX_ITEM_VALUES, sizeProblem } from "../src/scenes/your-model/generate-items.js";
import { generateValues, readOwnValues } from "../src/scenes/your-model/generate-values.js";
import { usualChoice, usualSizes } from "../src/scenes/your-model/input-choice.js";
import { seededRandom } from "../src/seeded-random.js";

const input = (
  name: string,
  type: TensorType,
  dims: readonly (number | null)[],
  more: Partial<TensorInfo> = {},
): TensorInfo => ({
  name,
  type,
  dims,
  symbols: dims.map(() => null),
  batchAxis: 0,
  ...more,
});

function itemsFor(inputs: readonly TensorInfo[], seed = 1) {
  return generateItems({ inputs, sizes: usualSizes(inputs), choices: {}, seed });
}

test("an item has the input's shape without its batch axis", () => {
  const [item] = itemsFor([input("image", "float32", [null, 1, 2, 3])]);
  expect(item).toEqual({ image: { data: expect.any(Float32Array), dims: [1, 2, 3] } });
});

test("sizes that fit no memory give no item, but what was expected, what was got, and what helps", () => {
  const inputs = [input("x", "float32", [null, null, null, null])];
  const plan = (side: number) => ({
    inputs,
    sizes: { "x, axis 1": side, "x, axis 2": 4096, "x, axis 3": 4096 },
    choices: {},
    seed: 1,
  });
  expect(generateItems(plan(4096))).toEqual([]);
  expect(sizeProblem(plan(4096))).toBe(
    "Expected sizes with at most 67,108,864 values in an item, got 68,719,476,736. Choose smaller sizes.",
  );
  expect(sizeProblem(plan(MAX_ITEM_VALUES / 4096 ** 2))).toBeNull();
});

test("the same seed gives the same items; another seed gives different ones", () => {
  const inputs = [input("x", "float32", [null, 4])];
  expect(itemsFor(inputs, 7)).toEqual(itemsFor(inputs, 7));
  expect(itemsFor(inputs, 7)).not.toEqual(itemsFor(inputs, 8));
});

test("shared inputs have the same value in every item", () => {
  const items = itemsFor([input("x", "float32", [null, 4]), input("scale", "float32", [], { batchAxis: null })]);
  const scales = items.map((item) => JSON.stringify(Object.entries(item).find(([name]) => name === "scale")));
  expect(new Set(scales).size).toBe(1);
  expect(items.length).toBeGreaterThan(1);
});

test("dimensions with equal names share one size", () => {
  const symbols = ["batch", "length"];
  const inputs = [
    input("ids", "int64", [null, null], { symbols }),
    input("mask", "int64", [null, null], { symbols }),
    input("other", "float32", [null, null]),
  ];
  expect(usualSizes(inputs)).toEqual({ length: 16, "other, axis 1": 16 });
});

test("masks are ones, and ids are small enough for any vocabulary", () => {
  expect(usualChoice(input("attention_mask", "int64", [null, 4]))).toMatchObject({ low: 1, high: 1 });
  expect(usualChoice(input("input_ids", "int64", [null, 4]))).toMatchObject({ low: 0, high: 99 });
});

test("large inputs give fewer items", () => {
  expect(itemsFor([input("x", "float32", [null, 900_000])])).toHaveLength(2);
});

const TYPES: readonly TensorType[] = [
  "float32",
  "float64",
  "float16",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
  "string",
];

test.each(TYPES)("values of %s have the requested count and are in range", (type) => {
  const values = generateValues(type, 50, { low: 2, high: 4 }, seededRandom(3));
  expect(values).toHaveLength(50);
  if (type === "string") return expect(typeof values[0]).toBe("string");
  const [low, high] = type === "bool" ? [0, 1] : [2, 4];
  for (const value of Array.from<unknown>(values))
    expect([Number(value) >= low, Number(value) <= high]).toEqual([true, true]);
});

test("the visitor's values may be separated by commas, spaces and brackets", () => {
  expect(readOwnValues("float32", 3, "[1, 2.5\n3]")).toEqual({ ok: true, values: Float32Array.of(1, 2.5, 3) });
  expect(readOwnValues("int64", 2, "1 2")).toEqual({ ok: true, values: BigInt64Array.of(1n, 2n) });
  expect(readOwnValues("string", 2, "good day\nhello")).toEqual({ ok: true, values: ["good day", "hello"] });
});

test("invalid values give an explanation", () => {
  expect(readOwnValues("float32", 3, "1 2")).toEqual({ ok: false, problem: "Expected 3 values, got 2." });
  expect(readOwnValues("float32", 1, "one")).toEqual({ ok: false, problem: '"one" is not a number.' });
  expect(readOwnValues("int32", 1, "1.5")).toEqual({ ok: false, problem: '"1.5" is not an integer.' });
});

test("values that do not fit into the type are not changed to others", () => {
  expect(readOwnValues("uint8", 2, "255 256")).toEqual({ ok: false, problem: '"256" is not within 0 to 255.' });
  expect(readOwnValues("int8", 1, "-129")).toEqual({ ok: false, problem: '"-129" is not within -128 to 127.' });
  expect(readOwnValues("int64", 1, "9007199254740993")).toMatchObject({ ok: false });
  expect(readOwnValues("bool", 1, "2")).toMatchObject({ ok: false });
  expect(readOwnValues("float32", 1, "1e30")).toMatchObject({ ok: true });
});

test("the visitor's values may end in a separator, as they do while they are typed", () => {
  expect(readOwnValues("float32", 1, "1 ")).toEqual({ ok: true, values: Float32Array.of(1) });
  expect(readOwnValues("string", 1, "hello\n")).toEqual({ ok: true, values: ["hello"] });
  expect(readOwnValues("float32", 1, " \n")).toBeNull();
});
