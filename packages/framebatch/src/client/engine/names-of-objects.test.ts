import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import type { ModelOptions } from "../options/options.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

beforeAll(() => stubBrowser());
afterAll(() => void vi.unstubAllGlobals());

function open(options: ModelOptions = {}) {
  return modelInNode(generateModel("names-of-objects").bytes, { executionProviders: ["wasm"], ...options });
}

/** An item of the model's inputs. Only a computed name makes `__proto__` a property. */
const item = (...values: number[]) => ({ ["__proto__"]: values, constructor: values.map((value) => 10 * value) });

describe("a model whose tensors have names that every object has", () => {
  // defect C26
  it.each([{}, { dedupe: true, resultCacheSize: 4 }, { padding: { ["__proto__"]: {}, constructor: {} } }])(
    "answers each item (%j)",
    async (options) => {
      await using model = await open(options);
      const answers = await model.predictMany([item(1, 2), item(3), item(1, 2), item(4, 5, 6)]);
      const sums = [[11, 22], [33], [11, 22], [44, 55, 66]];
      for (const [index, answer] of answers.entries()) {
        expect(Object.keys(answer)).toEqual(["toString", "valueOf"]);
        expect(answer["toString"]).toMatchObject({
          dims: [sums[index]!.length],
          data: Float32Array.from(sums[index]!),
        });
        expect(answer["valueOf"]!.data).toEqual(Float32Array.from(sums[index]!, (sum) => 2 * sum));
      }
    },
  );

  // defect C26
  it("says that an input is missing", async () => {
    await using model = await open();
    for (const [name, other] of [
      ["__proto__", "constructor"],
      ["constructor", "__proto__"],
    ] as const) {
      await expect(model.predict({ [other]: [1] })).rejects.toMatchObject({
        code: "INVALID_INPUT",
        message: expect.stringMatching(new RegExp(`^input "${name}": expected .*, got nothing; add it to the item$`)),
      });
    }
  });
});
