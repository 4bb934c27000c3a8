import embeddingUrl from "@framebatch/models/audio-embedding.onnx?url";
import melUrl from "@framebatch/models/audio-mel.onnx?url";
import voiceUrl from "@framebatch/models/audio-voice.onnx?url";
import helloUrl from "@framebatch/models/audio-word-128.onnx?url";
import startUrl from "@framebatch/models/audio-word-64.onnx?url";
import stopUrl from "@framebatch/models/audio-word-96.onnx?url";
import { createBatchedModel, createModelGroup, createPipeline } from "framebatch";
import { microphone, type Sound, tone } from "./sound.js";

// Six models in one worker, next to the handlers.
const worker = () => new Worker(new URL("./listen.worker.ts", import.meta.url), { type: "module" });
const group = createModelGroup({ executionProviders: ["wasm"], worker });
const [mel, embedding, voice, ...words] = await Promise.all([
  createBatchedModel<Float32Array, Float32Array>(melUrl, { group, handlers: "mel" }),
  createBatchedModel<Float32Array, Float32Array>(embeddingUrl, { group, handlers: "embedding" }),
  createBatchedModel<Float32Array, number[]>(voiceUrl, {
    group,
    handlers: "voice",
    recurrent: { state: "stateN" },
    batchAxis: { input: 0, state: 1, sr: null, output: 0, stateN: 1 },
  }),
  ...[startUrl, stopUrl, helloUrl].map((url) => createBatchedModel(url, { group })),
]);

// What each model remembers of a stream stays in the worker. All streams share batches.
const wakeWords = createPipeline<Float32Array>()
  .stage(mel, { sequence: true })
  .stage(embedding, { sequence: true })
  .stage((embeddings, options) => Promise.all(words.map((word) => word.predict({ embeddings }, options))))
  .stage((heard) => heard.map(({ score }) => Number(score?.data[0])));
const speech = createPipeline<Float32Array>().stage(voice, { sequence: true });

async function listen(name: string, sound: (size: number) => Sound) {
  const row = document.querySelector<HTMLTableElement>("#streams")!.insertRow();
  row.insertCell().append(name);
  const both = new AbortController();
  try {
    await Promise.all([
      show(row, wakeWords.runStream(sound(1280), { signal: both.signal })),
      show(row, speech.runStream(sound(512), { signal: both.signal })),
    ]);
    row.dataset["ended"] = "";
  } catch (error) {
    both.abort(); // if one fails, the other lets go of the microphone, too
    row.remove();
    throw error;
  }
}

async function show(row: HTMLTableRowElement, heard: AsyncIterable<number[]>) {
  const cell = row.insertCell();
  for await (const scores of heard) cell.textContent = scores.map((score) => score.toFixed(4)).join(" ");
}

const button = document.querySelector<HTMLButtonElement>("#microphone")!;
button.disabled = false;
button.addEventListener("click", () => {
  button.disabled = true;
  void listen("Microphone", microphone).finally(() => (button.disabled = false));
});
for (const hertz of [110, 220, 440, 880]) void listen(`${hertz} Hz`, (size) => tone(hertz, 3, size));
