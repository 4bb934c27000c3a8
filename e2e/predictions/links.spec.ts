import { expect, test } from "../support/test.js";

/** Both take and return one vector, so that the first one's output is the second one's input. */
const MODELS = ["/models/mlp-784.onnx", "/models/mlp-tiny.onnx"] as const;

test("probe", async ({ harness }) => {
  const infos = await harness.evaluate(async (urls) => {
    const { createBatchedModel } = window.harness;
    const all = [];
    for (const url of urls) {
      const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
      all.push({ inputs: model.inputs, outputs: model.outputs });
      await model.dispose();
    }
    return all;
  }, ["/models/mlp-784.onnx", "/models/mlp-tiny.onnx", "/models/pixelwise.onnx", "/models/sequence-rows.onnx", "/models/variable-length.onnx", "/models/inner-batch-axis.onnx", "/models/several-outputs.onnx", "/models/mlp-small.onnx", "/models/affine-float32.onnx","/models/affine-int64.onnx", "/models/mean-of-sequence.onnx", "/models/fails-on-marked-row.onnx"]);
  for (const info of infos) console.log(JSON.stringify(info));
  expect(MODELS.length).toBe(2);
});
