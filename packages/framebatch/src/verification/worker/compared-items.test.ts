import { describe, expect, it } from "vitest";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { ComparedItems, type ItemSize } from "./verification.js";

const info = (name: string, dims: (number | null)[], batchAxis: number | null) =>
  ({ name, type: "float32", dims, batchAxis, symbols: dims.map(() => null) }) as const;

const SIGNATURE: ModelSignature = {
  inputs: [info("x", [null, null, 2], 0), info("scale", [1], null)],
  outputs: [info("y", [null, 2], 0), info("count", [1], null)],
  fixedBatch: null,
};

function tensor(dims: readonly number[], first = 0): Tensor {
  const length = dims.reduce((product, dim) => product * dim, 1);
  const data = new Float32Array(length);
  for (let index = 0; index < length; index++) data[index] = first + index;
  return { type: "float32", dims, data };
}

function run(rows: number, tokens: number) {
  const feeds = { x: tensor([rows, tokens, 2]), scale: tensor([1], 7) };
  return { feeds, answers: { y: tensor([rows, 2], 100), count: tensor([1], rows) } };
}

/** Returns the sizes of the items that are taken of runs with these numbers of tokens. */
function takenOf(tokens: readonly number[], known: readonly ItemSize[] = []): (number | undefined)[] {
  const items = new ComparedItems(SIGNATURE, known);
  for (const { feeds, answers } of tokens.map((count) => run(1, count)))
    if (items.wants(feeds)) items.take(feeds, answers);
  const taken: (number | undefined)[] = [];
  for (let item = items.next(); item !== null; item = items.next()) taken.push(item.size[0]);
  return taken;
}

describe("the items that are compared", () => {
  it("are the first four, and then the first of each doubling of a size, the smallest first", () => {
    expect(takenOf([20, 20, 20, 20, 20, 31, 32, 63, 8, 15, 64])).toEqual([8, 20, 20, 20, 20, 32, 64]);
  });

  it("are those of sizes that no earlier visit has compared", () => {
    expect(takenOf([20, 40, 100], [[20, 2, 1]])).toEqual([40, 100]);
  });

  it("are of a limited number of sizes, and of a limited size", () => {
    const doublings = Array.from({ length: 20 }, (_, power) => 2 ** power);
    expect(takenOf(doublings)).toHaveLength(16);
    expect(takenOf([2 ** 23])).toEqual([]);
  });

  it("are no runs without rows", () => {
    expect(new ComparedItems(SIGNATURE, []).wants(run(0, 3).feeds)).toBe(false);
  });
});

describe("an item that is compared", () => {
  it("is a copy of the first row of a batch, with what all rows share, and without answers for all of them", () => {
    const items = new ComparedItems(SIGNATURE, []);
    const { feeds, answers } = run(3, 2);
    items.take(feeds, answers);
    for (const { data } of [feeds.x, answers.y]) if (data instanceof Float32Array) data.fill(0);
    expect(items.next()).toEqual({
      feeds: { x: tensor([1, 2, 2]), scale: tensor([1], 7) },
      answers: { y: tensor([1, 2], 100) },
      size: [2, 2, 1],
      elements: 5,
      held: 5,
    });
  });

  it("has every answer if it ran alone, and every row if the model fixes their number", () => {
    for (const [fixedBatch, rows] of [
      [null, 1],
      [3, 3],
    ] as const) {
      const items = new ComparedItems({ ...SIGNATURE, fixedBatch }, []);
      const { feeds, answers } = run(rows, 2);
      items.take(feeds, answers);
      expect(items.next()).toMatchObject({ feeds, answers, size: [2, 2, 1] });
    }
  });
});
