import { expose } from "comlink";
import type { InferenceSession, Tensor } from "onnxruntime-web";
import { createSession, loadOrt, type Ort } from "./ort-session.js";
import { watchWasmMemory } from "./wasm-memory.js";

const wasmBytes = watchWasmMemory();

/** Texts that were written, and how long it took, in milliseconds. */
export interface Written {
  /** The tokens after each prompt. */
  readonly texts: readonly (readonly number[])[];
  readonly ms: number;
  /** The part of `ms` in which every text that was begun had its first token, and the tokens that came then. */
  readonly stepMs: number;
  readonly stepTokens: number;
}

/** The interface that the worker of a decoder exposes through Comlink. */
export interface DecoderHost {
  /** @param url an absolute URL */
  open(url: string): Promise<void>;
  /** Writes texts together, from prompts of one length. */
  write(prompts: readonly (readonly number[])[], newTokens: number): Promise<Written>;
  /** Returns the size of the worker's WebAssembly memory, in bytes. */
  wasmBytes(): number;
}

/**
 * A decoder as an application without framebatch would write it: the caches that a step returns are the next step's, so that no
 * text can join or leave.
 */
class DecoderWorker implements DecoderHost {
  #decoder: { readonly ort: Ort; readonly session: InferenceSession } | null = null;

  async open(url: string): Promise<void> {
    const ort = await loadOrt("wasm");
    this.#decoder = { ort, session: await createSession(ort, url, "wasm") };
  }

  async write(prompts: readonly (readonly number[])[], newTokens: number): Promise<Written> {
    if (this.#decoder === null) throw new Error("Expected an open session first.");
    const { ort, session } = this.#decoder;
    const startedAtMs = performance.now();
    const texts: number[][] = prompts.map(() => []);
    let caches = emptyCaches(ort, session, prompts.length);
    let next = prompts;
    let length = 0;
    let firstAtMs = Infinity;
    for (let step = 0; step < newTokens; step++) {
      const outputs = await session.run({ ...caches, ...inputsOf(ort, next, length) });
      length += next[0]!.length;
      const chosen = highest(outputs["logits"]!);
      for (const [row, token] of chosen.entries()) texts[row]!.push(token);
      next = chosen.map((token) => [token]);
      caches = cachesAfter(outputs);
      firstAtMs = Math.min(firstAtMs, performance.now());
    }
    const endMs = performance.now();
    return {
      texts,
      ms: endMs - startedAtMs,
      stepMs: endMs - firstAtMs,
      stepTokens: texts.length * (newTokens - 1),
    };
  }

  wasmBytes(): number {
    return wasmBytes();
  }
}

/** @param length number of tokens in the caches */
function inputsOf(ort: Ort, rows: readonly (readonly number[])[], length: number): Record<string, Tensor> {
  const count = rows[0]!.length;
  const filled = (places: number, valueAt: (at: number) => number) => {
    const data = BigInt64Array.from({ length: rows.length * places }, (_, at) => BigInt(valueAt(at)));
    return new ort.Tensor("int64", data, [rows.length, places]);
  };
  const tokens = rows.flat();
  return {
    input_ids: filled(count, (at) => tokens[at]!),
    attention_mask: filled(length + count, () => 1),
    position_ids: filled(count, (at) => length + (at % count)),
  };
}

function emptyCaches(ort: Ort, session: InferenceSession, rows: number): Record<string, Tensor> {
  return Object.fromEntries(
    session.inputMetadata.flatMap((input) => {
      if (!input.isTensor || !input.name.startsWith("past_key_values.")) return [];
      const [, heads, , size] = input.shape;
      return [[input.name, new ort.Tensor("float32", new Float32Array(0), [rows, Number(heads), 0, Number(size)])]];
    }),
  );
}

function cachesAfter(outputs: Readonly<Record<string, Tensor>>): Record<string, Tensor> {
  const { logits: _, ...presents } = outputs;
  const named = Object.entries(presents).map(([name, cache]) => [name.replace("present.", "past_key_values."), cache]);
  return Object.fromEntries(named);
}

/** Returns the token with the highest score after each row of [rows, tokens, vocabulary]. */
function highest({ data, dims }: Tensor): number[] {
  const [rows = 0, tokens = 0, size = 0] = dims;
  if (!(data instanceof Float32Array)) throw new TypeError("Expected float32 numbers.");
  return Array.from({ length: rows }, (_, row) => {
    const from = (row * tokens + tokens - 1) * size;
    let best = from;
    for (let at = from + 1; at < from + size; at++) if (data[at]! > data[best]!) best = at;
    return best - from;
  });
}

expose(new DecoderWorker());
