import embeddingUrl from "@framebatch/models/audio-embedding.onnx?url";
import melUrl from "@framebatch/models/audio-mel.onnx?url";
import voiceUrl from "@framebatch/models/audio-voice.onnx?url";
import helloUrl from "@framebatch/models/audio-word-128.onnx?url";
import startUrl from "@framebatch/models/audio-word-64.onnx?url";
import stopUrl from "@framebatch/models/audio-word-96.onnx?url";
import { createBatchedModel, createModelGroup, createPipeline } from "framebatch";
import { microphone, tone } from "./sound.js";

interface Word {
  inputs: { embeddings: Float32Array };
  outputs: { score: Float32Array };
}

// Six models in one worker, next to the handlers.
const worker = () => new Worker(new URL("./listen.worker.ts", import.meta.url), { type: "module" });
const group = createModelGroup({ executionProviders: ["wasm"], worker });
const [mel, embedding, voice, ...words] = await Promise.all([
  createBatchedModel<Float32Array, Float32Array>(melUrl, { group, handlers: "mel" }),
  createBatchedModel<Float32Array, Float32Array>(embeddingUrl, { group, handlers: "embedding" }),
  createBatchedModel<Float32Array, number>(voiceUrl, {
    group,
    handlers: "voice",
    recurrent: { state: "stateN" },
    batchAxis: { input: 0, state: 1, sr: null, output: 0, stateN: 1 },
  }),
  ...[startUrl, stopUrl, helloUrl].map((url) => createBatchedModel<Word>(url, { group })),
]);

// What each model remembers of a stream stays in the worker. All streams share batches.
const wakeWords = createPipeline<Float32Array>()
  .stage(mel, { sequence: true })
  .stage(embedding, { sequence: true })
  .stage((embeddings, options) => Promise.all(words.map((word) => word.predict({ embeddings }, options))));
const speech = createPipeline<Float32Array>().stage(voice, { sequence: true });

type Sound = Iterable<Float32Array> | AsyncIterable<Float32Array>;

async function listen(name: string, sound: (size: number) => Sound) {
  const row = document.querySelector<HTMLTableElement>("#streams")!.insertRow();
  row.insertCell().append(name);
  const [wordCell, voiceCell] = [row.insertCell(), row.insertCell()];
  const hearWords = async () => {
    for await (const scores of wakeWords.runStream(sound(1280)))
      wordCell.textContent = scores.map(({ score }) => score.data[0]?.toFixed(4)).join(" ");
  };
  const hearSpeech = async () => {
    for await (const score of speech.runStream(sound(512))) voiceCell.textContent = score.toFixed(4);
  };
  await Promise.all([hearWords(), hearSpeech()]);
  row.dataset["ended"] = "";
}

document.querySelector("#microphone")!.addEventListener("click", () => void listen("Microphone", microphone));
for (const hertz of [110, 220, 440, 880]) void listen(`${hertz} Hz`, (size) => tone(hertz, 3, size));
