import voiceUrl from "@framebatch/models/audio-voice.onnx?url";
import { transfer, wrap } from "comlink";
import { createBatchedModel } from "framebatch/wasm";
import type { StreamHost } from "../ort/stream-worker.js";
import { StackedSteps } from "./stacked-steps.js";

/** Samples of a step: 64 of context and 512 new ones, 32 ms. */
export const STEP_SAMPLES = 576;

/** One way to run a voice detector for several streams. */
export interface StreamLane {
  /** Runs the next step of a stream. Resolves with its score. */
  readonly step: (stream: number, samples: Float32Array<ArrayBuffer>) => Promise<number>;
  /** Returns the mean number of steps in a run since the last call. */
  readonly meanBatch: () => number;
}

/**
 * `framebatch`: a sequence for each stream. `stacked`: one worker by hand, which stacks the steps of streams. `per-stream`:
 * one worker by hand with a session for each stream.
 */
export type StreamLaneName = "framebatch" | "stacked" | "per-stream";

/** @param streams number of streams */
export function openLane(name: StreamLaneName, streams: number): Promise<StreamLane> {
  return name === "framebatch" ? openFramebatch(streams) : openByHand(name === "stacked" ? 1 : streams);
}

async function openFramebatch(streams: number): Promise<StreamLane> {
  const model = await createBatchedModel(voiceUrl, {
    executionProviders: ["wasm"],
    recurrent: { state: "stateN" },
    batchAxis: { input: 0, state: 1, sr: null, output: 0, stateN: 1 },
  });
  const sequences = Array.from({ length: streams }, () => model.sequence());
  const sr = BigInt64Array.of(16_000n);
  let seen = { size: 0, count: 0 };
  return {
    async step(stream, input) {
      const { output } = await sequences[stream]!.predict({ input, sr });
      return Number(output!.data[0]);
    },
    meanBatch() {
      const { batches, batchSize } = model.stats();
      const now = { size: batchSize.mean * batches.count, count: batches.count };
      const mean = (now.size - seen.size) / (now.count - seen.count);
      seen = now;
      return mean;
    },
  };
}

async function openByHand(sessions: number): Promise<StreamLane> {
  const worker = new Worker(new URL("../ort/stream-worker.ts", import.meta.url), { type: "module" });
  const host = wrap<StreamHost>(worker);
  await host.open(new URL(voiceUrl, location.href).href, sessions);
  const steps = new StackedSteps(sessions === 1 ? Infinity : 1, (batch) =>
    host.run(transfer(batch, [batch.samples.buffer])),
  );
  return { step: (stream, samples) => steps.ask(stream, samples), meanBatch: () => steps.meanBatch() };
}
