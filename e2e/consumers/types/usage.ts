import {
  batched,
  createBatchedModel,
  createPipeline,
  FramebatchError,
  listCachedModels,
  toPrometheusText,
  type BatchedModel,
  type Outputs,
} from "framebatch";
import { batched as batchedAlone } from "framebatch/batched";
import { imageToTensor, softmax, topK } from "framebatch/handlers";
import { createRemoteModel, type RemoteModel } from "framebatch/remote";
import { createBatchedModel as createOnWasm } from "framebatch/wasm";
import { serve } from "framebatch/worker";

declare const pixels: Float32Array;
declare const bitmap: ImageBitmap;

const model: BatchedModel = await createBatchedModel("/models/digits.onnx", {
  maxBatchSize: 32,
  onProgress: ({ phase, loadedBytes, totalBytes }) => console.log(phase, loadedBytes, totalBytes),
});
const { logits } = await model.predict({ image: pixels }, { priority: "user-blocking", key: "pad" });
const many: Outputs[] = await model.predictMany([pixels, pixels]);
for await (const outputs of model.predictStream([pixels])) console.log(outputs);
console.log(
  logits?.dims,
  logits?.data.join(" "),
  many.length,
  model.stats().batchSize.mean,
  toPrometheusText(model.stats()),
);
model.addEventListener("batch", ({ detail }) => console.log(detail.size));

const reader = await createBatchedModel<ImageBitmap, string>("/models/reader.onnx", {
  worker: () => new Worker(new URL("./reader.worker.js", import.meta.url), { type: "module" }),
});
const words: string = await reader.predict(bitmap, { transfer: true });
serve<ImageBitmap, number>({
  preprocess: (image) => imageToTensor(image, { height: 28, width: 28 }),
  postprocess: ({ logits: scores }) => topK(softmax(scores), 1)[0]?.index ?? 0,
});

const embed = batched(async (texts: readonly string[]) => texts.map((text) => text.length));
const lengths: number[] = await embed.many(["a", "bc"]);
const pages = createPipeline<string>().stage(embed);
const length: number = await pages.run("abc");
console.log(words, lengths, length, await listCachedModels());
const onWasm: BatchedModel = await createOnWasm("/models/digits.onnx", { executionProviders: ["wasm"] });
const squared: number = await batchedAlone(async (numbers: readonly number[]) => numbers.map((n) => n * n))(3);
console.log(onWasm.executionProvider, squared);

try {
  await model.dispose();
} catch (error) {
  if (error instanceof FramebatchError && error.code === "DISPOSED") console.log(error.details);
}

const served: RemoteModel = await createRemoteModel("https://inference.example", { model: "digits" });
console.log((await served.predict({ image: pixels }))["logits"]?.data, served.stats().retries);
