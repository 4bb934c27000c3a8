import { wrap } from "comlink";
import type { DecoderHost, Written } from "../ort/decoder-worker.js";
import { FramebatchLane } from "./framebatch-lane.js";
import { type Prompt, promptsOf } from "./prompts.js";

/** Where the server generates the decoder. */
export const DECODER_URL = new URL("/generated/decoder-384.onnx", location.href).href;

/** One way to write several texts. */
export interface TextLane {
  /** Writes texts from prompts of one length, which are all known at the start. */
  readonly write: (prompts: readonly Prompt[], newTokens: number) => Promise<Written>;
  /** Returns the size of the worker's WebAssembly memory, in bytes. */
  readonly wasmBytes: () => number | Promise<number>;
}

/**
 * `generate`: framebatch. `one-by-one`: plain onnxruntime-web in a worker, one text after the other. `stacked`: the same, all
 * texts together from the first step to the last. `transformers-js`: a list of prompts in transformers.js in a worker.
 */
export type TextLaneName = "generate" | "one-by-one" | "stacked" | "transformers-js";

const LANES: Readonly<Record<TextLaneName, () => Promise<TextLane>>> = {
  generate: () => FramebatchLane.open(DECODER_URL, [...promptsOf(16, 0, 1, 0), ...promptsOf(24, 0, 1, 0)]),
  "one-by-one": async () => inTurn(await openByHand(decoderWorker())),
  stacked: () => openByHand(decoderWorker()),
  "transformers-js": () => openByHand(transformersWorker()),
};

export function openLane(name: TextLaneName): Promise<TextLane> {
  return LANES[name]();
}

function decoderWorker(): Worker {
  return new Worker(new URL("../ort/decoder-worker.ts", import.meta.url), { type: "module" });
}

function transformersWorker(): Worker {
  return new Worker(new URL("../ort/transformers-decoder-worker.ts", import.meta.url), { type: "module" });
}

async function openByHand(worker: Worker): Promise<TextLane> {
  const host = wrap<DecoderHost>(worker);
  await host.open(DECODER_URL);
  return { write: (prompts, newTokens) => host.write(prompts, newTokens), wasmBytes: () => host.wasmBytes() };
}

function inTurn(lane: TextLane): TextLane {
  return {
    ...lane,
    async write(prompts, newTokens) {
      const written: Written[] = [];
      for (const prompt of prompts) written.push(await lane.write([prompt], newTokens));
      return together(written);
    },
  };
}

/** Returns all that was written, one after the other. */
export function together(written: readonly Written[]): Written {
  const sum = (of: (each: Written) => number) => written.reduce((total, each) => total + of(each), 0);
  return {
    texts: written.flatMap(({ texts }) => texts),
    ms: sum(({ ms }) => ms),
    stepMs: sum(({ stepMs }) => stepMs),
    stepTokens: sum(({ stepTokens }) => stepTokens),
  };
}
