import { AutoModelForCausalLM, StoppingCriteria, Tensor, type PreTrainedModel } from "@huggingface/transformers";
import { expose } from "comlink";
import type { DecoderHost, Written } from "./decoder-worker.js";
import { stayHere } from "./transformers-here.js";
import { watchWasmMemory } from "./wasm-memory.js";

const wasmBytes = watchWasmMemory();

/** The configuration of `decoder-384`, as the Hugging Face Hub would have it. */
const CONFIG = {
  model_type: "llama",
  architectures: ["LlamaForCausalLM"],
  hidden_size: 384,
  num_hidden_layers: 6,
  num_attention_heads: 6,
  num_key_value_heads: 6,
  vocab_size: 8192,
};

/** Notes when the first tokens have been chosen. Ends no text. */
class FirstTokens extends StoppingCriteria {
  atMs: number | null = null;

  override _call(texts: readonly (readonly number[])[]): boolean[] {
    this.atMs ??= performance.now();
    return texts.map(() => false);
  }
}

/** A decoder in transformers.js, which takes a list of prompts as one batch from its beginning to its end. */
class TransformersDecoder implements DecoderHost {
  #model: PreTrainedModel | null = null;

  async open(url: string): Promise<void> {
    stayHere(url, CONFIG);
    const options = { local_files_only: true, dtype: "fp32", device: "wasm" } as const;
    this.#model = await AutoModelForCausalLM.from_pretrained("bench", options);
  }

  async write(prompts: readonly (readonly number[])[], newTokens: number): Promise<Written> {
    if (this.#model === null) throw new Error("Expected an open model first.");
    const startedAtMs = performance.now();
    const stopping_criteria = new FirstTokens();
    const dims = [prompts.length, prompts[0]!.length];
    const inputs = new Tensor("int64", BigInt64Array.from(prompts.flat(), BigInt), dims);
    const attention_mask = new Tensor("int64", new BigInt64Array(inputs.size).fill(1n), dims);
    const wanted = { inputs, attention_mask, max_new_tokens: newTokens, do_sample: false, stopping_criteria };
    const written = await this.#model.generate(wanted);
    const endMs = performance.now();
    if (!(written instanceof Tensor)) throw new TypeError("Expected tokens.");
    const texts = written.tolist().map((row: bigint[]) => row.slice(-newTokens).map(Number));
    return {
      texts,
      ms: endMs - startedAtMs,
      stepMs: endMs - (stopping_criteria.atMs ?? Number.NaN),
      stepTokens: texts.length * (newTokens - 1),
    };
  }

  wasmBytes(): number {
    return wasmBytes();
  }
}

expose(new TransformersDecoder());
