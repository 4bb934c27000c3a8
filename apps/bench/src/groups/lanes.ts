import embeddingUrl from "@framebatch/models/audio-embedding.onnx?url";
import melUrl from "@framebatch/models/audio-mel.onnx?url";
import voiceUrl from "@framebatch/models/audio-voice.onnx?url";
import word128Url from "@framebatch/models/audio-word-128.onnx?url";
import word64Url from "@framebatch/models/audio-word-64.onnx?url";
import word96Url from "@framebatch/models/audio-word-96.onnx?url";
import { wrap } from "comlink";
import { type BatchedModel, createBatchedModel, createModelGroup, type ModelOptions } from "framebatch/wasm";
import type { AudioItem, AudioModel, AudioUrls, GroupHost } from "../ort/group-worker.js";

const URLS: AudioUrls = {
  mel: melUrl,
  embedding: embeddingUrl,
  "word-64": word64Url,
  "word-96": word96Url,
  "word-128": word128Url,
  voice: voiceUrl,
};

/** One way to run six models for several streams. */
export interface GroupLane {
  /** Runs one item of a stream. Resolves with the numbers of its first output. */
  readonly ask: (model: AudioModel, stream: number, item: AudioItem) => Promise<Float32Array>;
}

/**
 * `group`: models of a group. `workers`: models with a worker each. `by-hand`: plain onnxruntime-web in one worker. Around
 * them is the same code.
 */
export type GroupLaneName = "group" | "workers" | "by-hand";

const LANES: Readonly<Record<GroupLaneName, (streams: number) => Promise<GroupLane>>> = {
  group: (streams) => openModels(streams, { group: createModelGroup({ executionProviders: ["wasm"] }) }),
  workers: (streams) => openModels(streams, { executionProviders: ["wasm"] }),
  "by-hand": openByHand,
};

export function openLane(name: GroupLaneName, streams: number): Promise<GroupLane> {
  return LANES[name](streams);
}

type GroupOptions = Pick<ModelOptions, "executionProviders"> | { group: ReturnType<typeof createModelGroup> };

async function openModels(streams: number, place: GroupOptions): Promise<GroupLane> {
  const { voice: voiceAt, ...others } = URLS;
  const models = new Map<string, BatchedModel>();
  await Promise.all(
    Object.entries(others).map(async ([name, url]) => models.set(name, await createBatchedModel(url, place))),
  );
  const voice = await createBatchedModel(voiceAt, {
    ...place,
    recurrent: { state: "stateN" },
    batchAxis: { input: 0, state: 1, sr: null, output: 0, stateN: 1 },
  });
  const sequences = Array.from({ length: streams }, () => voice.sequence());
  return {
    async ask(model, stream, item) {
      const outputs = await (models.get(model) ?? sequences[stream]!).predict(item);
      return numbersOf(Object.values(outputs)[0]?.data);
    },
  };
}

async function openByHand(): Promise<GroupLane> {
  const worker = new Worker(new URL("../ort/group-worker.ts", import.meta.url), { type: "module" });
  const host = wrap<GroupHost>(worker);
  const absolute = (url: string) => new URL(url, location.href).href;
  const { mel, embedding, voice } = URLS;
  await host.open({
    mel: absolute(mel),
    embedding: absolute(embedding),
    "word-64": absolute(word64Url),
    "word-96": absolute(word96Url),
    "word-128": absolute(word128Url),
    voice: absolute(voice),
  });
  return { ask: (model, stream, item) => host.run(model, stream, item) };
}

function numbersOf(data: unknown): Float32Array {
  if (data instanceof Float32Array) return data;
  throw new TypeError("Expected float32 numbers.");
}
