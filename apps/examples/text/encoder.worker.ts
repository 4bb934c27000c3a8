// Next to the model: a text becomes tokens, and the embedding of its tokens a vector of length 1.
import { Tokenizer } from "@huggingface/tokenizers";
import { serve } from "framebatch/worker";
import tokenizerFile from "./tokenizer.json";

// With a model of the Hugging Face Hub, these are its files tokenizer.json and tokenizer_config.json.
const tokenizer = new Tokenizer(tokenizerFile, {});

serve<string, number[]>({
  preprocess(text) {
    const { ids, attention_mask: mask } = tokenizer.encode(text);
    return { ids, mask };
  },
  postprocess({ embedding }) {
    const numbers = Array.from(embedding.data, Number);
    const length = Math.hypot(...numbers);
    return numbers.map((number) => number / length);
  },
});
