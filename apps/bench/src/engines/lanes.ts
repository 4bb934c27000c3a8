import { wrap } from "comlink";
import { createBatchedWorker } from "framebatch/batched";
import type { HandHost } from "../ort/hand-worker.js";
import { loadPipeline } from "../ort/text-pipeline.js";

/** One way to run transformers.js for callers that each ask for one text. */
export interface EngineLane {
  readonly ask: (text: string) => Promise<unknown>;
}

/** `framebatch`: an engine in a worker. `by-hand-worker`: the same behind Comlink. `by-hand-page`: on the page. */
export type EngineLaneName = "framebatch" | "by-hand-worker" | "by-hand-page";

const LANES: Readonly<Record<EngineLaneName, () => Promise<EngineLane>>> = {
  framebatch: openFramebatch,
  "by-hand-worker": openWorker,
  "by-hand-page": openPage,
};

export function openLane(name: EngineLaneName): Promise<EngineLane> {
  return LANES[name]();
}

async function openFramebatch(): Promise<EngineLane> {
  const engine = await createBatchedWorker<string, number[]>(
    () => new Worker(new URL("../ort/engine-worker.ts", import.meta.url), { type: "module" }),
    { shapeOf: (text) => ({ group: "", extents: [text.length] }) },
  );
  return { ask: (text) => engine.predict(text) };
}

async function openWorker(): Promise<EngineLane> {
  const worker = new Worker(new URL("../ort/hand-worker.ts", import.meta.url), { type: "module" });
  const host = wrap<HandHost>(worker);
  await host.load();
  return { ask: (text) => host.embed(text) };
}

async function openPage(): Promise<EngineLane> {
  const embed = await loadPipeline();
  return { ask: async (text) => (await embed([text]))[0] };
}
