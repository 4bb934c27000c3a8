import { batched, createBatchedModel, createPipeline } from "framebatch";

await using model = await createBatchedModel("/models/digits.onnx");
await using double = batched((numbers: readonly number[]) => numbers.map((number) => 2 * number));
await using pipeline = createPipeline<number>().stage(double);
const disposable: AsyncDisposable = model;
console.log(disposable, await pipeline.run(1));
