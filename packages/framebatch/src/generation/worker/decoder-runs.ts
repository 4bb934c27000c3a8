import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { elementsOf } from "@framebatch/rows/tensor/half-float.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import type { Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { FailedReply } from "../../transport/protocol.js";
import type { FeedsReply } from "../../worker/session/feeds-reply.js";
import type { CachePair } from "../cache-pairs.js";
import type { Scores } from "../choose-token.js";
import type { Decoder } from "../decoder.js";
import { type CacheRow, emptyCaches, joinRows, type Side } from "./cache-rows.js";
import { givenLength, stackGiven } from "./given.js";

/** Runs feeds, and returns these outputs. @param isTrial whether the run may fail, which is nobody's concern */
export type RunOutputs = (
  feeds: Readonly<Record<string, Tensor>>,
  outputs: readonly string[],
  isTrial: boolean,
) => Promise<FeedsReply>;

/** The next tokens of one text. */
export interface NextTokens {
  /** As many as the other texts of the run have. */
  readonly tokens: readonly number[];
  /** `null` before its first run. */
  readonly cache: CacheRow | null;
  /** See `SentText`. */
  readonly given: Readonly<Record<string, Tensor>>;
}

/** What a run has given one text. */
export interface RanText {
  readonly cache: CacheRow;
  /** The scores of the token after the last one; empty if none are wanted. Its own memory, or that of the run. */
  readonly scores: Scores;
}

/** What a run threw that has failed, with its reply. */
export class FailedRun extends Error {
  readonly reply: FailedReply;

  constructor(reply: FailedReply) {
    super(reply.error.message);
    this.reply = reply;
  }
}

/** Runs a decoder on the next tokens of some texts. */
export class DecoderRuns {
  readonly #decoder: Decoder;
  readonly #run: RunOutputs;
  readonly #empty: readonly Tensor[];

  constructor(decoder: Decoder, run: RunOutputs) {
    this.#decoder = decoder;
    this.#run = run;
    this.#empty = emptyCaches(decoder.caches);
  }

  /**
   * Runs the next tokens of each text, as many of each. Texts whose caches differ in length are padded.
   * @param side of the padding
   * @throws FailedRun
   */
  async run(
    texts: readonly NextTokens[],
    side: Side,
    { wantsScores = true, isTrial = false } = {},
  ): Promise<{ readonly texts: readonly RanText[]; readonly inferenceMs: number }> {
    const { caches, logits } = this.#decoder;
    const rows = texts.map(({ cache }) => cache ?? { tensors: this.#empty, row: 0, length: 0, givenLength: 0 });
    const before = joinRows(caches, rows, side);
    const isFirst = texts.every(({ cache }) => cache === null);
    const wanted = caches.filter(({ grows }) => grows || isFirst).map(({ output }) => output);
    const feeds = this.#feeds(texts, rows, before, side, isFirst);
    const reply = await this.#run(feeds, wantsScores ? [logits.name, ...wanted] : wanted, isTrial);
    if (!reply.ok) throw new FailedRun(reply);
    const { outputs, inferenceMs } = reply;
    const count = texts[0]!.tokens.length;
    const longest = Math.max(...rows.map(({ length }) => length));
    const after = caches.map((pair, index) => {
      const cache = outputs[pair.output];
      if (cache !== undefined) checkCache(pair, cache, texts.length, longest + count);
      return cache ?? before[index]!;
    });
    const scores = wantsScores ? outputs[logits.name] : undefined;
    const givenLengths = isFirst ? this.#givenLengths(texts, after) : null;
    return {
      inferenceMs,
      texts: rows.map((cache, row) => ({
        cache: {
          tensors: after,
          row,
          length: cache.length + count,
          givenLength: givenLengths?.[row] ?? cache.givenLength,
        },
        scores: scores === undefined ? [] : lastScores(scores, row),
      })),
    };
  }

  /** Returns the number of positions that the first run of each text has filled in the caches that do not grow. */
  #givenLengths(texts: readonly NextTokens[], after: readonly Tensor[]): readonly number[] {
    const index = this.#decoder.caches.findIndex(({ grows }) => !grows);
    const length = index < 0 ? 0 : after[index]!.dims[this.#decoder.caches[index]!.axis]!;
    const lengths = texts.map(({ given }) => givenLength(given, this.#decoder));
    const longest = Math.max(...lengths);
    return lengths.map((own) => Math.max(0, length - (longest - own)));
  }

  #feeds(
    texts: readonly NextTokens[],
    rows: readonly CacheRow[],
    before: readonly Tensor[],
    side: Side,
    isFirst: boolean,
  ): Record<string, Tensor> {
    const { tokens, mask, positions, cachePosition, keptLogits, cacheBranch, caches, given } = this.#decoder;
    const count = texts[0]!.tokens.length;
    const longest = Math.max(...rows.map(({ length }) => length));
    const feeds: Record<string, Tensor> = {};
    const set = (input: TensorInfo | null, dims: readonly number[], valueAt: (row: number, at: number) => number) => {
      if (input !== null) setOwn(feeds, input.name, filled(input, dims, valueAt));
    };
    const perToken = [texts.length, count];
    set(tokens, perToken, (row, at) => texts[row]!.tokens[at]!);
    set(positions, perToken, (row, at) => rows[row]!.length + at);
    set(mask, [texts.length, longest + count], (row, at) => {
      const padding = longest - rows[row]!.length;
      return Number(side === "left" ? at >= padding : at < longest + count - padding);
    });
    set(cachePosition, [count], (_, at) => longest + at);
    set(keptLogits, keptLogits?.dims.map(() => 1) ?? [], () => 1);
    set(cacheBranch, cacheBranch?.dims.map(() => 1) ?? [], () => Number(!isFirst));
    for (const [index, { input }] of caches.entries()) setOwn(feeds, input.name, before[index]!);
    const ofTexts = texts.map((text) => text.given);
    for (const input of given) setOwn(feeds, input.name, stackGiven(input, this.#decoder, ofTexts));
    return feeds;
  }
}

/**
 * Checks that a cache has all positions of its texts. One that drops or repeats some would be read as another text's, or from
 * another position.
 * @throws FailedRun
 */
function checkCache(pair: CachePair, { dims }: Tensor, rows: number, positions: number): void {
  const { output, axis, batchAxis, grows } = pair;
  if (dims[batchAxis] === rows && (!grows || dims[axis] === positions)) return;
  const expected = `${rows} on axis ${batchAxis}${grows ? ` and ${positions} on axis ${axis}` : ""}`;
  const error = new FramebatchError(
    "INFERENCE_FAILED",
    `expected the cache "${output}" to grow by the tokens of each run, to ${expected}, got [${dims.join(", ")}]; export the model with caches that keep all positions`,
  );
  throw new FailedRun({ ok: false, error: encodeError(error), fatal: false });
}

/** Returns a tensor of [rows, places], or [places]. */
function filled({ type }: TensorInfo, dims: readonly number[], valueAt: (row: number, at: number) => number): Tensor {
  const [places = 1, rows = 1] = dims.toReversed();
  const data = elementOf(type).create(rows * places);
  const elements = writable(data);
  const isBig = type === "int64" || type === "uint64";
  for (let row = 0; row < rows; row++) {
    for (let at = 0; at < places; at++) {
      const value = valueAt(row, at);
      elements[row * places + at] = isBig ? BigInt(value) : value;
    }
  }
  return { type, dims, data };
}

/** Returns the scores after the last token of a row of [rows, tokens, scores], or of [rows, scores]. */
function lastScores(logits: Tensor, row: number): Scores {
  const [size = 0, tokens = 1] = logits.dims.toReversed().slice(0, Math.max(1, logits.dims.length - 1));
  const from = (row * tokens + tokens - 1) * size;
  const { type, dims, data } = logits;
  const own = "subarray" in data ? data.subarray(from, from + size) : data.slice(from, from + size);
  if (own instanceof Float32Array) return own;
  return Float64Array.from(elementsOf({ type, dims, data: own }), Number);
}
