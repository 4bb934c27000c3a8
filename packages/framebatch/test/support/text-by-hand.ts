import * as ort from "onnxruntime-web/wasm";
import { generateModel } from "@framebatch/models/generate";
import { chooseToken } from "../../src/generation/choose-token.js";
import type { TokenChoice } from "../../src/generation/generation-messages.js";

/** How a text is made by hand. */
export interface TextByHand extends Partial<TokenChoice> {
  readonly prompt: readonly number[];
  readonly maxNewTokens: number;
  readonly stop?: readonly number[];
  /** Changes the scores of each token before the choice. */
  readonly change?: (scores: Float32Array, tokens: readonly number[]) => void;
  /** Inputs that are the same in every step. */
  readonly given?: Readonly<Record<string, ort.Tensor>>;
}

/** A decoder of the tests on plain ONNX Runtime: one text at a time, its whole prompt in one run. */
export class DecoderByHand {
  readonly #session: ort.InferenceSession;

  private constructor(session: ort.InferenceSession) {
    this.#session = session;
  }

  static async of(name: string): Promise<DecoderByHand> {
    return new DecoderByHand(await ort.InferenceSession.create(generateModel(name).bytes));
  }

  /** Returns the tokens after the prompt. */
  async text({ prompt, maxNewTokens, stop = [], change, given = {}, ...rules }: TextByHand): Promise<number[]> {
    const { sample = null, repetitionPenalty = 1 } = rules;
    const tokens: number[] = [];
    let next = prompt;
    let caches = this.#emptyCaches();
    while (tokens.length < maxNewTokens) {
      const length = prompt.length + tokens.length;
      const feeds: Record<string, ort.Tensor> = { ...given, ...caches, ...this.#inputs(next, length) };
      const outputs = await this.#session.run(feeds);
      const scores = lastOf(outputs);
      change?.(scores, [...prompt, ...tokens]);
      const token = chooseToken(scores, { sample, repetitionPenalty }, [...prompt, ...tokens], tokens.length);
      if (token === null) throw new Error("expected scores, got NaN");
      tokens.push(token);
      if (stop.includes(token)) break;
      next = [token];
      caches = { ...caches, ...after(outputs, tokens.length === 1) };
    }
    return tokens;
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  #inputs(next: readonly number[], length: number): Record<string, ort.Tensor> {
    const row = (values: readonly number[]) =>
      new ort.Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
    const ids = row(next);
    const mask = row(Array.from({ length }, () => 1));
    const positions = row(next.map((_, index) => length - next.length + index));
    const use_cache_branch = new ort.Tensor("bool", [next.length < length], [1]);
    const all = {
      input_ids: ids,
      ids,
      attention_mask: mask,
      mask,
      position_ids: positions,
      places: positions,
      use_cache_branch,
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => this.#session.inputNames.includes(name)));
  }

  #emptyCaches(): Record<string, ort.Tensor> {
    return Object.fromEntries(
      this.#session.inputMetadata.flatMap((input) => {
        if (!input.isTensor || !/^(past|cache)/.test(input.name)) return [];
        const dims = input.shape.map((size, axis) => (axis === 0 ? 1 : typeof size === "number" ? size : 0));
        return [[input.name, new ort.Tensor("float32", new Float32Array(0), dims)]];
      }),
    );
  }
}

/** Returns the caches after a run. @param isFirst whether it has filled those of the encoder */
function after(outputs: ort.InferenceSession.OnnxValueMapType, isFirst: boolean): Record<string, ort.Tensor> {
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, tensor]) => {
      const past = name.replace("present.", "past_key_values.").replace("cache_out_", "cache_in_");
      return past === name || (name.includes("encoder") && !isFirst) ? [] : [[past, tensor]];
    }),
  );
}

function lastOf(outputs: ort.InferenceSession.OnnxValueMapType): Float32Array {
  const { data, dims } = outputs["logits"] ?? outputs["scores"]!;
  const size = dims.at(-1)!;
  return Float32Array.from(data.slice(-size), Number);
}
