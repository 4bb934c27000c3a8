import { createBatchedWorker } from "framebatch/batched";

const texts = ["The cat sat on the mat.", "The cat sat on a mat.", "Soup and bread for tomorrow", "The station is old"];

const progress = document.querySelector<HTMLOutputElement>("#progress")!;

const embed = await createBatchedWorker<string, number[]>(
  () => new Worker(new URL("./embed.worker.ts", import.meta.url), { type: "module" }),
  {
    maxBatchSize: 32,
    shapeOf: (text) => ({ group: "", extents: [text.length] }), // long texts do not pad short ones
    samples: texts.slice(0, 3),
    verify: true, // texts in a batch must get the same vectors as alone, or they run one by one
    onProgress: ({ phase }) => (progress.value = phase),
  },
);

const [first = [], ...others] = await embed.predictMany(texts); // as few calls of the pipeline as pay
const scores = others.map((vector) => vector.reduce((sum, number, at) => sum + number * (first[at] ?? 0), 0));
const nearest = texts[1 + scores.indexOf(Math.max(...scores))];
document.querySelector<HTMLOutputElement>("#nearest")!.value = nearest ?? "";
document.querySelector<HTMLOutputElement>("#batches")!.value = String(embed.stats().batches.count);
