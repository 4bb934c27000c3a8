import { expect, it } from "vitest";
import { hasFixedItems } from "./hybrid-assembly.js";
import type { TensorMetadata } from "@framebatch/rows/model/signature.js";

const ids: TensorMetadata = { name: "ids", type: "int64", shape: [-1, -1] };
const mask: TensorMetadata = { name: "mask", type: "int64", shape: [-1, -1] };
const embedding: TensorMetadata = { name: "embedding", type: "float32", shape: [-1, 384] };
const SERVER = { inputs: [ids, mask], outputs: [embedding] };

it("items are interchangeable only if no size but the batch is dynamic", () => {
  expect(hasFixedItems({ inputs: [{ name: "image", shape: [-1, 1, 28, 28] }], outputs: [] })).toBe(true);
  expect(hasFixedItems(SERVER)).toBe(false);
  expect(hasFixedItems({ inputs: [{ name: "image", shape: [1, 28] }], outputs: [] })).toBe(false);
  expect(hasFixedItems({ inputs: [{ name: "image", shape: [] }], outputs: [] })).toBe(false);
});
