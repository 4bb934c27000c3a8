import { expose } from "comlink";
import { loadPipeline, type Embed } from "./text-pipeline.js";

let embed: Embed;

/** A worker with transformers.js as its guide has it, behind Comlink: one text a call. */
const host = {
  load: async () => void (embed = await loadPipeline()),
  embed: async (text: string) => (await embed([text]))[0],
};

export type HandHost = typeof host;

expose(host);
