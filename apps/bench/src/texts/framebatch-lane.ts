import { createBatchedModel, type GeneratingModel } from "framebatch/wasm";
import type { Written } from "../ort/decoder-worker.js";
import type { Prompt } from "./prompts.js";

const SAMPLE_EVERY_MS = 20;

/** A decoder in framebatch. Each text is asked for, and read, as an application does. */
export class FramebatchLane {
  readonly model: GeneratingModel;
  #peakCacheBytes = 0;

  private constructor(model: GeneratingModel) {
    this.model = model;
  }

  /** @param prompts of two lengths, until it is known which texts share a step */
  static async open(url: string, prompts: readonly Prompt[]): Promise<FramebatchLane> {
    const lane = new FramebatchLane(await createBatchedModel(url, { executionProviders: ["wasm"], generate: true }));
    do await lane.write(prompts, 8);
    while (lane.model.stats().generation.sharing === null);
    return lane;
  }

  /** The most that the caches of all texts had at the same time. */
  get peakCacheBytes(): number {
    return this.#peakCacheBytes;
  }

  wasmBytes(): number {
    return this.model.stats().memoryBytes;
  }

  async write(prompts: readonly Prompt[], newTokens: number): Promise<Written> {
    const sampling = setInterval(() => this.#sampleCaches(), SAMPLE_EVERY_MS);
    const startedAtMs = performance.now();
    const before = this.#chosen();
    let waiting = prompts.length;
    let [firstAtMs, hadThen] = [startedAtMs, 0];
    const write = async (prompt: Prompt): Promise<readonly number[]> => {
      const tokens: number[] = [];
      for await (const token of this.model.generate({ input_ids: prompt }, { maxNewTokens: newTokens })) {
        tokens.push(token);
        if (tokens.length > 1) continue;
        waiting -= 1;
        // Tokens that came in the same message count as tokens of before.
        if (waiting === 0) [firstAtMs, hadThen] = [performance.now(), this.#chosen() - before];
      }
      return tokens;
    };
    const texts = await Promise.all(prompts.map(write));
    const endMs = performance.now();
    clearInterval(sampling);
    return {
      texts,
      ms: endMs - startedAtMs,
      stepMs: endMs - firstAtMs,
      stepTokens: texts.length * newTokens - hadThen,
    };
  }

  #chosen(): number {
    return this.model.stats().generation.tokens;
  }

  #sampleCaches(): void {
    this.#peakCacheBytes = Math.max(this.#peakCacheBytes, this.model.stats().generation.cacheBytes);
  }
}
