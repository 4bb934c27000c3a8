import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { elementsOf } from "@framebatch/rows/tensor/half-float.js";
import { setOwn, type Tensor, type TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import type { FailedReply } from "../../transport/protocol.js";
import type { DeviceMemory } from "../../worker/ort/device-memory.js";
import { type DeviceRows, NONE_ON_DEVICE, type OutputsOnDevice } from "../../worker/ort/device-rows.js";
import type { DeviceTensors, FeedsReply } from "../../worker/session/feeds-reply.js";
import type { CachePair, Decoder } from "../decoder.js";
import type { Scores } from "../choose-token.js";
import {
  type CacheRow,
  type CacheTensor,
  dimsOf,
  emptyCaches,
  isOnGpu,
  isWhole,
  joinRows,
  MadeOnGpu,
  type Room,
  type Side,
  toDevice,
} from "./cache-rows.js";
import { givenLength, stackGiven } from "./given.js";

type Tensors = Readonly<Record<string, Tensor>>;

/** Runs feeds. @param isTrial whether the run may fail, which is nobody's concern */
export type RunOutputs = (feeds: Tensors, tensors: DeviceTensors, isTrial: boolean) => Promise<FeedsReply>;

/** Reading the weights takes as long as so many tokens of a run, about. */
const WEIGHTS_TOKENS = 8;

/** The GPU on which a model runs. */
export interface DecoderGpu {
  /** `null` if it runs on none. */
  readonly memory: () => Promise<DeviceMemory | null>;
  /** Whether a run with inputs of these dims is worth a comparison with WASM. */
  readonly wants: (inputs: Readonly<Record<string, Pick<Tensor, "dims">>>) => boolean;
  /** Takes a run to compare, all of which this worker can read. @param elements on how many its time depends */
  readonly compare: (feeds: Tensors, outputs: Tensors, elements: number) => void;
}

/** The next tokens of one text. */
export interface NextTokens {
  /** As many as the other texts of the run have. */
  readonly tokens: readonly number[];
  /** `null` before its first run. */
  readonly cache: CacheRow | null;
  /** See `SentText`. */
  readonly given: Tensors;
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
  readonly #gpu: DecoderGpu;
  readonly #empty: readonly Tensor[];
  /** Whether ONNX Runtime writes caches into buffers that it is given; `null` before the first run. */
  #fits: boolean | null = null;

  /** @param gpu where caches stay between runs */
  constructor(decoder: Decoder, run: RunOutputs, gpu: DecoderGpu) {
    this.#decoder = decoder;
    this.#run = run;
    this.#gpu = gpu;
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
    // A trial is short, and nothing of it stays.
    const memory = isTrial ? null : await this.#gpu.memory();
    const made = new MadeOnGpu(memory);
    try {
      const rows = texts.map(({ cache }) => cache ?? this.#none);
      const before = joinRows(this.#decoder.caches, rows, side, made.room);
      return await this.#runFrom(before, rows, texts, side, { wantsScores, isTrial }, made);
    } catch (thrown) {
      made.destroyAllBut([]);
      throw thrown;
    }
  }

  async #runFrom(
    before: readonly CacheTensor[],
    rows: readonly CacheRow[],
    texts: readonly NextTokens[],
    side: Side,
    { wantsScores, isTrial }: { readonly wantsScores: boolean; readonly isTrial: boolean },
    made: MadeOnGpu,
  ): Promise<{ readonly texts: readonly RanText[]; readonly inferenceMs: number }> {
    const { caches, logits } = this.#decoder;
    const isFirst = texts.every(({ cache }) => cache === null);
    const count = texts[0]!.tokens.length;
    const longest = Math.max(...rows.map(({ length }) => length));
    const feeds = this.#feeds(texts, rows, before, side, isFirst);
    const isCompared = !isTrial && made.room !== null && this.#isCompared(before, rows, feeds);
    const room = isCompared ? null : made.room;
    const { reply, onDevice } = await this.#into(
      this.#reserve(before, texts.length, longest + count, room),
      (reserved) => this.#run(feeds, this.#tensors(before, reserved, wantsScores, isFirst), isTrial),
    );
    if (!reply.ok) throw new FailedRun(reply);
    const { outputs, inferenceMs } = reply;
    if (isCompared && !before.some(isOnGpu)) this.#gpu.compare(feeds, outputs, WEIGHTS_TOKENS + count);
    const after = caches.map((pair, index) => {
      const cache = outputs[pair.output];
      if (cache === undefined) return onDevice.get(pair.output) ?? toDevice(before[index]!, pair, room);
      checkCache(pair, cache, texts.length, longest + count);
      return pair.grows ? cache : toDevice(cache, pair, room);
    });
    const scores = wantsScores ? outputs[logits.name] : undefined;
    const lasts = rows.map((_, row) => (scores === undefined ? [] : lastScores(scores, row)));
    const givenLengths = isFirst ? this.#givenLengths(texts, after) : null;
    made.destroyAllBut(after);
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
        scores: lasts[row]!,
      })),
    };
  }

  /**
   * Whether the answers of a run are read so that they, or those of the next one, can be compared with WASM's. What
   * padding holds may differ, and caches that only the first run fills do not come back from the GPU.
   */
  #isCompared(before: readonly CacheTensor[], rows: readonly CacheRow[], feeds: Tensors): boolean {
    const { caches } = this.#decoder;
    if (rows.some(({ length, givenLength: given }) => length !== rows[0]!.length || given !== rows[0]!.givenLength))
      return false;
    if (before.some((tensor, index) => isOnGpu(tensor) && !caches[index]!.grows)) return false;
    const dims = caches.map(({ input }, index) => [input.name, { dims: dimsOf(before[index]!) }] as const);
    return this.#gpu.wants({ ...Object.fromEntries(dims), ...feeds });
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
    if (reply.fatal || reserved.size === 0) return { reply, onDevice: NONE_ON_DEVICE };
    const again = await run(NONE_ON_DEVICE);
    if (again.ok) this.#fits ??= false;
    return { reply: again, onDevice: NONE_ON_DEVICE };
  }

  /** Reserves memory of the GPU for the caches after a run. */
  #reserve(before: readonly CacheTensor[], rows: number, positions: number, memory: Room | null): OutputsOnDevice {
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

/**
 * Checks that a cache has all positions of its texts. One that drops or repeats some would be read as another text's,
 * or from another position.
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
