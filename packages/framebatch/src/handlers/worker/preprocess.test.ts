import { expect, it } from "vitest";
import { Passing } from "./handlers.js";
import { preprocessSamples } from "./preprocess.js";

const SIGNATURE = { inputs: [], outputs: [] };

it("copies the tensors of a sample when preprocess returns them, so that it may reuse its arrays", async () => {
  const reused = new Float32Array(2);
  const handlers = { preprocess: (sample: unknown) => ({ x: reused.fill(Number(sample)) }) };
  expect(await preprocessSamples(handlers, [1, 2], SIGNATURE)).toEqual([
    { x: Float32Array.of(1, 1) },
    { x: Float32Array.of(2, 2) },
  ]);
});

it("reads tensors of classes whose arrays are accessors, and records with odd names", async () => {
  class OwnTensor {
    readonly dims = [2];
    readonly type = "float32";
    get data() {
      return Float32Array.of(3, 4);
    }
  }
  const x = { type: "float32", dims: [2], data: Float32Array.of(3, 4) };
  const handlers = { preprocess: () => new Passing({ x: new OwnTensor(), ["__proto__"]: [1] }, "passed") };
  const [item] = await preprocessSamples(handlers, [0], SIGNATURE);
  expect(Object.entries(Object(item))).toEqual([
    ["x", x],
    ["__proto__", [1]],
  ]);
});
