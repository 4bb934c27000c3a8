import { serve } from "framebatch/worker";
import { loadPipeline, type Embed } from "./text-pipeline.js";

let embed: Embed;

serve<string, number[]>({
  load: async () => void (embed = await loadPipeline()),
  run: (texts) => embed(texts),
});
