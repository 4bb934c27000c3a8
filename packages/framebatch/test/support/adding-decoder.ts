import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Tensor, TensorInfo, TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { Decoder } from "../../src/generation/decoder.js";
import type { RunOutputs } from "../../src/generation/worker/decoder-runs.js";

const VOCABULARY = 97;
/** A run that has this token in it fails. */
export const POISON = 999;

/** How a fake decoder behaves. A test changes it. */
export interface AddingRules {
  /** Time of a run, and of each token of it, in milliseconds. */
  runMs: number;
  tokenMs: number;
  /** Which padding it sees through: that of the mask, or only none. */
  readsMask: boolean;
  /** Whether each row is changed by the others of its batch. */
  mixes: boolean;
  /** The same, but only in the first run of a text. */
  mixesPrompts: boolean;
  /** A run of more throws, as where there is no memory for it. */
  maxRows: number;
  /** Whether no score is a number. */
  isBroken: boolean;
  /** Number of positions that its cache keeps: the last ones. */
  window: number;
}

/** A run, as the fake decoder has seen it. */
export interface SeenRun {
  readonly rows: number;
  readonly tokens: number;
  readonly past: number;
}

/** A decoder whose next token is the sum of all tokens of the text, and of their places, in a vocabulary of 97. Its cache holds both. */
export class AddingDecoder {
  readonly rules: AddingRules = {
    runMs: 1,
    tokenMs: 0,
    readsMask: true,
    mixes: false,
    mixesPrompts: false,
    maxRows: Infinity,
    isBroken: false,
    window: Infinity,
  };
  readonly seen: SeenRun[] = [];
  nowMs = 0;

  readonly decoder: Decoder = {
    tokens: info("ids", "int64", [null, null]),
    mask: info("mask", "int64", [null, null]),
    positions: info("positions", "int64", [null, null]),
    logits: info("logits", "float32", [null, null, VOCABULARY]),
    caches: [
      { input: info("past", "float32", [null, 1, null, 1]), output: "present", batchAxis: 0, axis: 2, grows: true },
    ],
    cachePosition: null,
    keptLogits: null,
    cacheBranch: null,
    given: [],
    givenMask: null,
  };

  readonly run: RunOutputs = async (feeds) => {
    const [ids, mask, positions, past] = ["ids", "mask", "positions", "past"].map((name) => feeds[name]!);
    const [rows = 0, count = 0] = ids!.dims;
    const length = past!.dims[2]!;
    if (rows > this.rules.maxRows) throw new RangeError("Array buffer allocation failed");
    this.seen.push({ rows, tokens: count, past: length });
    const ms = this.rules.runMs + this.rules.tokenMs * rows * count;
    this.nowMs += ms;
    const total = length + count;
    const present = new Float32Array(rows * total);
    const logits = new Float32Array(rows * VOCABULARY);
    const isMixed = this.rules.mixes || (this.rules.mixesPrompts && length === 0);
    const batchSum = isMixed && rows > 1 ? 1 : 0;
    for (let row = 0; row < rows; row++) {
      let sum = batchSum;
      for (let at = 0; at < total; at++) {
        const token = at - length;
        const own = Number(ids!.data[row * count + token]) + Number(positions!.data[row * count + token]);
        const value = at < length ? Number(past!.data[row * length + at]) : own;
        present[row * total + at] = value;
        const isSeen = !this.rules.readsMask || Number(mask!.data[row * total + at]) === 1;
        // A model that ignores the mask takes padding for something.
        sum += isSeen ? value + (this.rules.readsMask ? 0 : 1) : 0;
        if (at >= length && Number(ids!.data[row * count + token]) === POISON) return failed("a token is poison");
      }
      logits[row * VOCABULARY + (sum % VOCABULARY)] = 1;
    }
    if (this.rules.isBroken) logits.fill(NaN);
    const kept = Math.min(total, this.rules.window);
    const data = present.filter((_, index) => index % total >= total - kept);
    const outputs: Record<string, Tensor> = {
      logits: { type: "float32", dims: [rows, 1, VOCABULARY], data: logits },
      present: { type: "float32", dims: [rows, 1, kept, 1], data },
    };
    return { ok: true, outputs, inferenceMs: ms };
  };

  /** Returns the text that follows a prompt. */
  text(prompt: readonly number[], count: number): number[] {
    const tokens = [...prompt];
    while (tokens.length < prompt.length + count) {
      const extra = this.rules.readsMask ? 0 : tokens.length;
      tokens.push((tokens.reduce((sum, token, position) => sum + token + position, 0) + extra) % VOCABULARY);
    }
    return tokens.slice(prompt.length);
  }
}

function failed(message: string) {
  return { ok: false, error: encodeError(new FramebatchError("INFERENCE_FAILED", message)), fatal: false } as const;
}

function info(name: string, type: TensorType, dims: readonly (number | null)[]): TensorInfo {
  return { name, type, dims, symbols: dims.map(() => null), batchAxis: 0 };
}
