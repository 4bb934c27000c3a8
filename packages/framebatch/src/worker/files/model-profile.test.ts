import { expect, it } from "vitest";
import { digestOf } from "../../store/digest.js";
import { contextOf } from "./model-profile.js";

const ofPadding = (value: number | bigint | null) => contextOf([{ x: { value } }]);

it("facts of one value of padding do not hold for another", async () => {
  const values = [-Infinity, Infinity, Number.NaN, null, 0, 1, 1n << 60n];
  expect(new Set(await Promise.all(values.map(ofPadding))).size).toBe(values.length);
});

it("facts that are stored for finite values keep their key", async () => {
  expect(await ofPadding(1.5)).toBe(await digestOf(new Blob(['[{"x":{"value":1.5}}]']), "sha256"));
});
