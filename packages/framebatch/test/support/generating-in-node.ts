import { generateModel } from "@framebatch/models/generate";
import { createGeneratingModelAt, type GeneratingWorkerModel } from "../../src/generation/page/generating-model.js";
import type { DecoderOptions } from "../../src/client/options/generation.js";
import { checkModelOptions } from "../../src/client/options/model-options.js";
import { keepSource } from "../../src/client/options/model-source.js";
import type { ModelOptions } from "../../src/client/options/options.js";
import type { WorkerSite } from "../../src/client/workers/worker-site.js";
import { hostSite } from "./channel-worker.js";

/**
 * Creates a model that generates, with page and worker halves on the real ONNX Runtime, in this thread.
 * @param served where a worker with `choose` comes from
 */
export function generatingInNode(
  name: string,
  ...options: readonly [
    generate?: true | DecoderOptions,
    given?: ModelOptions,
    site?: ReturnType<typeof hostSite>,
    served?: WorkerSite | null,
  ]
): Promise<GeneratingWorkerModel> {
  return generatingFile(generateModel(name).bytes, ...options);
}

/** The same of a file. */
export async function generatingFile(
  bytes: Uint8Array,
  generate: true | DecoderOptions = true,
  given: ModelOptions = {},
  site = hostSite(),
  served: WorkerSite | null = null,
): Promise<GeneratingWorkerModel> {
  const options = { executionProviders: ["wasm"], cache: false, ...given, generate } as const;
  checkModelOptions(options);
  return createGeneratingModelAt({ site, served, share: null }, keepSource(bytes), options);
}

/** Returns a prompt that differs for each `seed`. */
export function promptOf(length: number, seed: number): number[] {
  return Array.from({ length }, (_, index) => (1 + seed * 13 + index * 7 + index * index * 3) % 61);
}
