import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { elementsOf } from "@framebatch/rows/tensor/half-float.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import type { Tensor, TensorInfo, TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { FailedReply } from "../../transport/protocol.js";
import { areRanges, type DeviceMemory } from "../../worker/kept/device-memory.js";
import {
  destroyAll,
  type DeviceRows,
  NONE_ON_DEVICE,
  orDestroy,
  type OutputsOnDevice,
} from "../../worker/kept/device-rows.js";
import type { DeviceTensors, FeedsReply } from "../../worker/session/feeds-reply.js";
import type { CachePair } from "../cache-pairs.js";
import type { Scores } from "../choose-token.js";
import type { Decoder } from "../decoder.js";
import { type CacheRow, type CacheTensor, dimsOf, emptyCaches, isOnGpu, joinRows, type Side } from "./cache-rows.js";
import { givenLength, stackGiven } from "./given.js";

/** Runs feeds. @param isTrial whether the run may fail, which is nobody's concern */
export type RunOutputs = (
  feeds: Readonly<Record<string, Tensor>>,
  tensors: DeviceTensors,
  isTrial: boolean,
) => Promise<FeedsReply>;

/** The memory of the GPU on which a model runs. */
export interface CachePlace {
  /** `null` if it runs on none. */
  readonly memory: () => Promise<DeviceMemory | null>;
  /** Whether the caches after a run may be where only the GPU can read them. @param feeds all that it gets */
  readonly mayStay: (feeds: Readonly<Record<string, Tensor>>) => boolean;
}

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
  readonly #place: CachePlace;
  readonly #empty: readonly Tensor[];
  /** Whether ONNX Runtime writes caches into buffers that it is given; `null` before the first run. */
  #fits: boolean | null = null;

  /** @param place where caches stay between runs */
  constructor(decoder: Decoder, run: RunOutputs, place: CachePlace) {
    this.#decoder = decoder;
    this.#run = run;
    this.#place = place;
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
    // A trial is short, and nothing of it stays.
    const memory = isTrial ? null : await this.#place.memory();
    const rows = texts.map(({ cache }) => cache ?? this.#none);
    const before = joinRows(caches, rows, side, memory);
    const isFirst = texts.every(({ cache }) => cache === null);
    const count = texts[0]!.tokens.length;
    const longest = Math.max(...rows.map(({ length }) => length));
    const joined = before === rows[0]!.tensors ? [] : before;
    const feeds = this.#feeds(texts, rows, before, side, isFirst);
    const isHere = !before.some(isOnGpu);
    const mayStay = !isHere || this.#place.mayStay(feeds);
    const room = memory?.hasRoom === true && mayStay ? memory : null;
    const { reply, onDevice } = await this.#into(
      this.#reserve(before, texts.length, longest + count, room),
      (reserved) => this.#run(feeds, this.#tensors(before, reserved, wantsScores, isFirst), isTrial),
    );
    // Caches that do not grow belong to the texts from now on, if there were no failure.
    for (const [index, tensor] of joined.entries())
      if (isOnGpu(tensor) && (caches[index]!.grows || !reply.ok)) tensor.destroy();
    if (!reply.ok) throw new FailedRun(reply);
    const { outputs, inferenceMs } = reply;
    const after = orDestroy(onDevice, () =>
      caches.map((pair, index) => {
        const cache = outputs[pair.output];
        if (cache === undefined) return onDevice.get(pair.output) ?? toDevice(before[index]!, pair, room);
        checkCache(pair, cache, texts.length, longest + count);
        return pair.grows ? cache : toDevice(cache, pair, room);
      }),
    );
    const scores = wantsScores ? outputs[logits.name] : undefined;
    const givenLengths = isFirst ? this.#givenLengths(texts, after) : null;
    return {
      inferenceMs,
      texts: rows.map((cache, row) => ({
        cache: {
          tensors: after,
          held: after.filter(isOnGpu).map((tensor) => tensor.row(row)),
          row,
          length: cache.length + count,
          givenLength: givenLengths?.[row] ?? cache.givenLength,
        },
        scores: scores === undefined ? [] : lastScores(scores, row),
      })),
    };
  }

  /** Of a text before its first run. */
  get #none(): CacheRow {
    return { tensors: this.#empty, held: [], row: 0, length: 0, givenLength: 0 };
  }

  /** Runs into reserved memory; elsewhere if ONNX Runtime does not write there. */
  async #into(
    reserved: OutputsOnDevice,
    run: (reserved: OutputsOnDevice) => Promise<FeedsReply>,
  ): Promise<{ readonly reply: FeedsReply; readonly onDevice: OutputsOnDevice }> {
    const reply = await run(reserved);
    if (reply.ok) {
      this.#fits ??= reserved.size > 0 || null;
      return { reply, onDevice: reserved };
    }
    destroyAll(reserved);
    if (reply.fatal || reserved.size === 0 || this.#fits === true) return { reply, onDevice: NONE_ON_DEVICE };
    const again = await run(NONE_ON_DEVICE);
    if (again.ok) this.#fits = false;
    return { reply: again, onDevice: NONE_ON_DEVICE };
  }

  /** Reserves memory of the GPU for the caches after a run. */
  #reserve(
    before: readonly CacheTensor[],
    rows: number,
    positions: number,
    memory: DeviceMemory | null,
  ): OutputsOnDevice {
    const reserved = new Map<string, DeviceRows>();
    if (memory === null || this.#fits === false) return reserved;
    for (const [index, pair] of this.#decoder.caches.entries()) {
      const { type } = before[index]!;
      const dims = dimsOf(before[index]!).with(pair.batchAxis, rows).with(pair.axis, positions);
      const room = pair.grows && isWhole(type, dims, pair) ? memory.rows(type, dims, pair.batchAxis) : null;
      if (room !== null) reserved.set(pair.output, room);
    }
    return reserved;
  }

  /** Returns the caches that are on the GPU, and where the outputs come. */
  #tensors(
    before: readonly CacheTensor[],
    reserved: OutputsOnDevice,
    wantsScores: boolean,
    isFirst: boolean,
  ): DeviceTensors {
    const { caches, logits } = this.#decoder;
    const tensors = { inputs: {}, outputs: {} };
    if (wantsScores) setOwn(tensors.outputs, logits.name, null);
    for (const [index, { input, output, grows }] of caches.entries()) {
      const tensor = before[index]!;
      if (isOnGpu(tensor)) setOwn(tensors.inputs, input.name, tensor.tensor);
      if (grows || isFirst) setOwn(tensors.outputs, output, reserved.get(output)?.tensor ?? null);
    }
    return tensors;
  }

  /** Returns the number of positions that the first run of each text has filled in the caches that do not grow. */
  #givenLengths(texts: readonly NextTokens[], after: readonly CacheTensor[]): readonly number[] {
    const index = this.#decoder.caches.findIndex(({ grows }) => !grows);
    const length = index < 0 ? 0 : dimsOf(after[index]!)[this.#decoder.caches[index]!.axis]!;
    const lengths = texts.map(({ given }) => givenLength(given, this.#decoder));
    const longest = Math.max(...lengths);
    return lengths.map((own) => Math.max(0, length - (longest - own)));
  }

  #feeds(
    texts: readonly NextTokens[],
    rows: readonly CacheRow[],
    before: readonly CacheTensor[],
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
    for (const [index, { input }] of caches.entries()) {
      const tensor = before[index]!;
      if (!isOnGpu(tensor)) setOwn(feeds, input.name, tensor);
    }
    const ofTexts = texts.map((text) => text.given);
    for (const input of given) setOwn(feeds, input.name, stackGiven(input, this.#decoder, ofTexts));
    return feeds;
  }
}

/** Whether the positions of a cache are whole words on the GPU, which can be copied one by one. */
function isWhole(type: TensorType, dims: readonly number[], { axis }: CachePair): boolean {
  return areRanges(type, [volumeOf(dims.slice(axis + 1))], 0);
}

/** Returns a cache on the GPU, if there is one and the cache may be there. */
function toDevice(cache: CacheTensor, pair: CachePair, memory: DeviceMemory | null): CacheTensor {
  if (isOnGpu(cache)) return cache;
  const { type, dims, data } = cache;
  const rows = memory !== null && isWhole(type, dims, pair) ? memory.rows(type, dims, pair.batchAxis) : null;
  if (rows !== null) memory!.fill(rows, [{ tensor: cache, from: 0, to: 0, count: data.length }]);
  return rows ?? cache;
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
