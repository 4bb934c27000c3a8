// Models that an interface describes. Each comment with ^? is the hover of the name above it.
import {
  createBatchedModel,
  createModelHub,
  createPipeline,
  createRemoteModel,
  type Item,
  type ItemOf,
  type Outputs,
  type OutputsOf,
} from "framebatch";
import { softmax } from "framebatch/handlers";

interface Digits {
  inputs: { image: Float32Array };
  outputs: { logits: Float32Array };
}

interface Encoder {
  inputs: { ids: BigInt64Array; types: Uint8Array; mask?: BigInt64Array };
  outputs: { vector: Float32Array; words: readonly string[] };
}

declare const pixels: Float32Array;
declare const doubles: Float64Array;
declare const ids: BigInt64Array;
declare const url: string;

const digits = await createBatchedModel<Digits>(url, { samples: [{ image: pixels }, pixels] });
const outputs = await digits.predict({ image: pixels }, { priority: "background" });
//    ^? const outputs: { readonly logits: Tensor<Float32Array>; }
const { logits } = outputs;
//      ^? const logits: Tensor<Float32Array>
const highest: number = Math.max(...logits.data);
const probabilities: Float32Array = softmax(logits);

// One input: also its tensor alone, as numbers, or with dims.
await digits.predict(pixels);
await digits.predict(Array.from(pixels));
await digits.predict({ data: pixels, dims: [28, 28] });
await digits.predict({ image: [0, 1] });
await digits.predict({ image: { data: [0, 1], dims: [1, 2], type: "float32" } });
// @ts-expect-error -- there is no such input
await digits.predict({ picture: pixels });
// @ts-expect-error -- there is no second input
await digits.predict({ image: pixels, mask: pixels });
// @ts-expect-error -- an array of another type
await digits.predict({ image: doubles });
// @ts-expect-error -- an array of another type
await digits.predict({ image: { data: doubles, dims: [28, 28] } });
// @ts-expect-error -- an array of another type
await digits.predict(ids);
// @ts-expect-error -- there is no such output
console.log(outputs.scores, highest, probabilities);
// @ts-expect-error -- there is no such input
await createBatchedModel<Digits>(url, { samples: [{ picture: pixels }] });

// Lists, streams and details.
for (const answer of await digits.predictMany([pixels, { image: pixels }])) console.log(answer.logits.data[0]);
for await (const { logits: row } of digits.predictStream([pixels])) console.log(row.data.subarray(1));
const { outputs: detailed, batch } = await digits.predictDetailed(pixels);
console.log(detailed.logits.data.length, batch?.size);
// @ts-expect-error -- an array of another type
await digits.predictMany([doubles]);
// @ts-expect-error -- there is no such input
digits.predictStream([{ picture: pixels }]);

// Several inputs, one of which may be left out.
const encoder = await createBatchedModel<Encoder>(url, { padding: { ids: { mask: "mask" } } });
const { vector, words } = await encoder.predict({ ids, types: [0, true, 1] });
//      ^? const vector: Tensor<Float32Array>
console.log(
  vector.data.at(0),
  words.data.map((word) => word.length),
);
await encoder.predict({ ids: [1, 2n], types: new Uint8ClampedArray(2), mask: ids });
// @ts-expect-error -- an input is missing
await encoder.predict({ ids });
// @ts-expect-error -- several inputs need names
await encoder.predict(ids);
// @ts-expect-error -- an array of another type
await encoder.predict({ ids: pixels, types: [0] });

// The same model elsewhere: on a server, on both sides, in a hub.
const served = await createRemoteModel<Digits>(url, { model: "digits" });
const both = await createBatchedModel<Digits>(url, { remote: { url, model: "digits" }, samples: [pixels] });
const hub = createModelHub();
const held = await hub.get<Digits>("digits");
const reader = await hub.get<ImageBitmap, string>("reader");
for (const model of [served, both, held]) console.log((await model.predict(pixels)).logits.data.fill(0));
console.log(both.stats().requests.offered, served.stats().retries, held.executionProvider);
const text: string = await reader.predict(await createImageBitmap(new Blob()));
// @ts-expect-error -- there is no such input
await served.predict({ picture: pixels });
// @ts-expect-error -- an array of another type
await both.predict(doubles);
// @ts-expect-error -- an array of another type
await held.predict(doubles);

// Stages.
const pipeline = createPipeline<Float32Array>().stage(digits);
//    ^? const pipeline: Pipeline<Float32Array, { readonly logits: Tensor<Float32Array>; }>
console.log((await pipeline.run(pixels)).logits.data.length);
// @ts-expect-error -- the model takes other items
createPipeline<string>().stage(digits);

// A function for any item and result of a model.
async function classify(model: { predict: (item: ItemOf<Digits>) => Promise<OutputsOf<Digits>> }): Promise<number> {
  return (await model.predict(pixels)).logits.data.length;
}
console.log(await classify(digits), await classify(held), await classify(both));

// A stream of a model with states.
const stream = digits.sequence({ idleMs: 1000, overflow: "drop-oldest" });
//    ^? const stream: Sequence<{ readonly image: InputTensor<Float32Array>; } | InputTensor<Float32Array>, { readonly logits: Tensor<Float32Array>; }>
const step: Float32Array = (await stream.predict({ image: pixels }, { timeoutMs: 50 })).logits.data;
for await (const { logits: row } of stream.predictStream([pixels])) step.set(row.data);
const copied = digits.sequence({ initial: await stream.snapshot() });
console.log(copied, createPipeline<Float32Array>().stage(stream));
// @ts-expect-error -- each step counts
await stream.predict(pixels, { key: "newest" });
// @ts-expect-error -- there is no such input
await stream.predict({ picture: pixels });

// A model without a description.
const any = await createBatchedModel(url, { samples: [pixels, { x: [1] }] });
//    ^? const any: BatchedModel<Item, Outputs>
const item: Item = { anything: [1, 2] };
const found: Outputs = await any.predict(item);
console.log(found["logits"]?.data, found["logits"]?.dims, text);
// @ts-expect-error -- it may not exist
console.log(found["logits"].data);
// @ts-expect-error -- `npx framebatch types` writes arrays, not numbers
await createBatchedModel<{ inputs: { image: number }; outputs: { logits: Float32Array } }>(url);
// @ts-expect-error -- it has no outputs
await createBatchedModel<{ inputs: { image: Float32Array } }>(url);

// Stages that keep what came with their item.
interface Photo {
  readonly name: string;
  readonly pixels: Float32Array;
}
const labels = createPipeline<Photo>()
  .stage(digits, {
    toItem: ({ pixels: image }) => ({ image }),
    toResult: ({ logits: row }, { name }) => ({ name, best: Math.max(...row.data) }),
  })
  .stage(({ name, best }) => `${name} ${best}`, { name: "text" });
const label: string = await labels.run({ name: "one", pixels });
const rows = createPipeline<Float32Array>().stage(digits, { toResult: ({ logits: row }) => row });
//    ^? const rows: Pipeline<Float32Array, Tensor<Float32Array>>
const parts = createPipeline<Photo[]>()
  .split((photos) => photos)
  .stage(digits, {
    toItem: (photo) => photo.pixels,
    toResult: async (answer, photo) => [photo.name, answer.logits.data] as const,
  })
  .collect((entries) => new Map(entries));
const named: Map<string, Float32Array> = await parts.run([]);
console.log(label, rows, named);
// @ts-expect-error -- there is no such input
createPipeline<Photo>().stage(digits, { toItem: ({ pixels: picture }) => ({ picture }) });
// @ts-expect-error -- there is no such output
createPipeline<Photo>().stage(digits, { toItem: (photo) => photo.pixels, toResult: ({ scores }) => scores });
// @ts-expect-error -- the model takes no photos
createPipeline<Photo>().stage(digits, { toResult: (answer) => answer });
