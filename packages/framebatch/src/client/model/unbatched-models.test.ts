import { generateModel } from "@framebatch/models/generate";
import { afterEach, describe, expect, it, vi } from "vitest";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";
import type { ModelOptions } from "../options/options.js";

afterEach(() => vi.unstubAllGlobals());

function load(options: ModelOptions = {}) {
  stubBrowser();
  const usual = { executionProviders: ["wasm"], batching: { release: "window" }, maxQueueDelayMs: 5 } as const;
  return modelInNode(generateModel("whole-picture").bytes, { ...usual, ...options });
}

/** A picture of three channels, whose first `count` numbers are above a half. */
function picture(height: number, width: number, count: number) {
  const data = Float32Array.from({ length: 3 * height * width }, (_, index) => (index < count ? 1 : 0.25));
  return { data, dims: [3, height, width] };
}

const SUM = { 2: [2.5, 1, 1], 0: [1, 1, 1] };

describe("a model without a batch dimension", () => {
  it.each([{}, { batchAxis: { image: null } }, { allowedBatchSizes: [4, 8] }, { verify: false }])(
    "gives each picture its own answer, in a run of its own, and says so: %o",
    async (options) => {
      const model = await load(options);
      const asked = [picture(2, 2, 2), picture(2, 2, 0), { image: picture(2, 2, 2) }, picture(2, 3, 2)];
      const answers = await Promise.all(asked.map((item) => model.predictDetailed(item)));
      expect(answers.map(({ outputs }) => outputs["places"]?.dims)).toEqual([
        [2, 3],
        [0, 3],
        [2, 3],
        [2, 3],
      ]);
      expect(answers.slice(0, 2).map(({ outputs }) => outputs["sums"])).toMatchObject([
        { dims: [1, 3], data: Float32Array.from(SUM[2]) },
        { dims: [1, 3], data: Float32Array.from(SUM[0]) },
      ]);
      expect(answers.map(({ batch }) => [batch?.size, batch?.paddedSize])).toEqual(asked.map(() => [1, 1]));
      const { batchCheck, isRebatched } = model.stats();
      expect({ batchCheck, isRebatched }).toMatchObject({
        batchCheck: { outcome: "skipped", reason: expect.stringContaining("no input has a batch dimension") },
        isRebatched: false,
      });
      expect(model.inputs).toMatchObject([{ name: "image", dims: [3, null, null], batchAxis: null }]);
      await expect(model.predict(new Float32Array(4))).rejects.toMatchObject({ code: "INVALID_INPUT" });
      await model.dispose();
    },
  );

  it("does not read the elements of an item to group it", async () => {
    const model = await load();
    const read = vi.spyOn(String, "fromCharCode");
    await model.predict(picture(2, 2, 2));
    expect(read).not.toHaveBeenCalled();
    await model.dispose();
  });

  it("is refused where the option names the batch of an output alone", async () => {
    await expect(load({ batchAxis: { places: 0 } })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("inputs: expected one with a batch dimension"),
    });
  });
});
