import { pipeline, type FeatureExtractionPipeline } from "@huggingface/transformers";
import { serve } from "framebatch/worker";
import { findFilesHere } from "./local-files.js";

let extract: FeatureExtractionPipeline;

serve<string, number[]>({
  async load({ report }) {
    findFilesHere(); // leave it out, and name a model of the Hub, such as "Xenova/all-MiniLM-L6-v2"
    extract = await pipeline("feature-extraction", "bert-tiny", {
      device: "wasm",
      dtype: "fp32",
      progress_callback: (info) => info.status === "progress_total" && report(info.loaded, info.total),
    });
  },
  run: async (texts) => (await extract([...texts], { pooling: "mean", normalize: true })).tolist(),
  dispose: () => extract.dispose(),
});
