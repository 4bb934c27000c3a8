import { expect, it } from "vitest";
import { takesBytes, toBytes } from "../src/scenes/your-model/byte-text.js";

it("fills the values with the bytes of a text, then with zeros", () => {
  expect(toBytes("aé", 5)).toEqual([97, 195, 169, 0, 0]);
  expect(toBytes("abc", 2)).toEqual([97, 98]);
});

it("is offered for one row of integers that are called bytes", () => {
  const input = { name: "bytes", type: "int32", dims: [null, 2048], symbols: [null, null], batchAxis: 0 } as const;
  expect(takesBytes(input, [2048])).toBe(true);
  expect(takesBytes({ ...input, name: "input_ids" }, [2048])).toBe(false);
  expect(takesBytes({ ...input, type: "float32" }, [2048])).toBe(false);
});
