// Next to the model: a text becomes tokens, and the embedding of its tokens a vector of length 1.
import { Tokenizer } from "@huggingface/tokenizers";
import type { OutputsOf } from "framebatch";
import { serve } from "framebatch/worker";
import tokenizerFile from "./tokenizer.json";

interface Encoder {
  inputs: { ids: BigInt64Array; mask: BigInt64Array };
  outputs: { embedding: Float32Array };
}

// With a model of the Hugging Face Hub, these are its files tokenizer.json and tokenizer_config.json.
const tokenizer = new Tokenizer(tokenizerFile, {});

/** The model has no positions for more tokens. */
const MAX_TOKENS = 512;

serve<string, number[]>({
  preprocess(text) {
    const { ids, attention_mask: mask } = tokenizer.encode(text);
    return { ids: ids.slice(0, MAX_TOKENS), mask: mask.slice(0, MAX_TOKENS) };
  },
  postprocess({ embedding }: OutputsOf<Encoder>) {
    const length = Math.hypot(...embedding.data);
    return Array.from(embedding.data, (number) => number / length);
  },
});
