import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { copyOptions } from "@framebatch/batcher/options/copy-options.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import { WorkerBackedModel } from "../../client/model/worker-backed-model.js";
import { batchingOf, openOnWorkers, type WorkerModelParts } from "../../client/model/open-on-workers.js";
import type { RunResult } from "../../client/workers/pending-runs.js";
import {
  checkGenerateOptions,
  type DecoderOptions,
  type GeneratedText,
  type GenerateOptions,
  type GeneratingModel,
  type GeneratingModelStats,
  type GeneratingOptions,
} from "../../client/options/generation.js";
import { isKeptItem, type KeptItem } from "../../kept/kept-item.js";
import type { TokenChoice } from "../generation-messages.js";
import { type CachePair, type Decoder, readDecoder } from "../decoder.js";
import { bytesOf, longestOf, PageText, type QueuedText, type TextLimits } from "./page-text.js";
import { type PromptInputs, PromptReader, type ReadGiven } from "./prompt-reader.js";
import { Texts, type TextsPlace, type TextsRun } from "./texts.js";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { tensorItems, watched } from "../../client/model/item-kind.js";
import { planLoad, type TensorSites } from "../../client/model/load-plan.js";
import { checkFilesOf, providersOf } from "../../client/options/files-by-provider.js";
import type { KeptModel } from "../../client/options/model-source.js";

const MAX_NEW_TOKENS = 256;
const MAX_CACHE_BYTES = 2 ** 28;

/** How a model generates. */
interface GenerationSettings extends Pick<TextsPlace, "maxQueueSize" | "onUse"> {
  readonly decoder: DecoderOptions;
  readonly maxTexts: number;
}

/** A model on workers that generates texts. */
export class GeneratingWorkerModel extends WorkerBackedModel<Item, PreparedItem, Outputs> implements GeneratingModel {
  readonly #decoder: Decoder;
  readonly #reader: PromptReader;
  readonly #texts: Texts;
  readonly #limits: TextLimits;
  readonly #parts: WorkerModelParts<Item, PreparedItem, Outputs>;
  #count = 0;

  /** @throws INVALID_OPTION when the file does not tell what its inputs are for */
  constructor(
    parts: WorkerModelParts<Item, PreparedItem, Outputs>,
    { decoder: { maxCacheBytes = MAX_CACHE_BYTES, ...names }, maxTexts, ...settings }: GenerationSettings,
  ) {
    super(parts);
    this.#parts = parts;
    const decoder = readDecoder(parts.signature, names);
    const [bytesPerToken, bytesPerGiven] = [bytesPerPosition(decoder, true), bytesPerPosition(decoder, false)];
    this.#limits = { maxTexts, maxCacheBytes, bytesPerToken, bytesPerGiven };
    this.#decoder = decoder;
    this.#reader = new PromptReader(decoder);
    this.#texts = new Texts({
      ...settings,
      run: (run) => this.#run(run),
      timer: parts.clock,
      limits: this.#limits,
    });
  }

  override async dispose(): Promise<void> {
    await super.dispose();
    await this.#texts.end();
  }

  override async unload(): Promise<void> {
    await super.unload();
    this.#texts.forget();
  }

  generate(inputs: PromptInputs, options: GenerateOptions = {}): GeneratedText {
    const text = new PageText();
    try {
      // Each option is read once, and a signal may abort while the inputs are read: both run code of the caller.
      const own = copyOptions(options);
      checkGenerateOptions(own);
      const { given = {} } = own;
      const queued = this.#queued(text, this.#reader.read(inputs), own);
      if (!isKeptItem(given)) this.#give(queued, this.#reader.readGiven(given));
      if (own.signal?.aborted === true) throw own.signal.reason;
      this.#texts.add(queued, own);
      if (isKeptItem(given)) void this.#giveLater(queued, given);
      // There is no run that would tell a text that waits for its encoder.
      if (this.state === "disposed" || this.state === "failed") void this.#texts.end();
    } catch (error) {
      text.reject(error);
    }
    return text;
  }

  override get isBusy(): boolean {
    return super.isBusy || this.#texts.isBusy;
  }

  override stats(): GeneratingModelStats {
    return { ...super.stats(), generation: this.#texts.stats() };
  }

  /**
   * Makes a run. After `unload`, waits until the model is loaded again: else texts would keep the worker until they
   * end.
   */
  async #run(run: TextsRun): Promise<RunResult> {
    const { events, pool } = this.#parts;
    while (this.state === "unloaded")
      await new Promise<void>((resolve) => events.add("statechange", () => resolve(), { once: true }));
    return pool.run(run);
  }

  /** Never rejects. */
  async #giveLater(queued: QueuedText, kept: KeptItem): Promise<void> {
    try {
      const given = await kept.givenFor(this.#decoder.given);
      this.#give(queued, this.#reader.readGiven(given));
      this.#texts.ready();
    } catch (error) {
      queued.text.reject(error);
    }
  }

  /** @throws INVALID_OPTION for a text that would never fit */
  #give(queued: QueuedText, given: ReadGiven): void {
    this.#checkSize({ ...queued, given });
    queued.given = given;
  }

  #queued(text: PageText, prompt: readonly number[], options: GenerateOptions): QueuedText {
    const { maxNewTokens = MAX_NEW_TOKENS, stop = [], key } = options;
    const promptLength = prompt.length;
    this.#count += 1;
    const sent = { id: this.#count, promptLength, maxNewTokens, stop: [...stop], ...choiceOf(options) };
    return { text, sent, given: null, prompt, key, rank: 0, losses: 0 };
  }

  #checkSize(queued: QueuedText): void {
    const { bytesPerToken, maxCacheBytes } = this.#limits;
    const bytes = bytesOf([queued], this.#limits);
    if (bytes <= maxCacheBytes) return;
    throw new FramebatchError(
      "INVALID_OPTION",
      `maxNewTokens: expected a text whose cache has at most ${maxCacheBytes} bytes (maxCacheBytes), got ${longestOf(queued)} tokens of ${bytesPerToken} bytes, ${bytes} in all; ask for fewer, or raise generate.maxCacheBytes`,
      { details: { option: "maxNewTokens", bytes, maxCacheBytes } },
    );
  }
}

function choiceOf({ sample, repetitionPenalty = 1 }: GenerateOptions): TokenChoice {
  if (sample === undefined) return { sample: null, repetitionPenalty };
  const { temperature = 1, topK = Infinity, topP = 1, seed = randomSeed() } = sample;
  return { sample: { temperature, topK, topP, seed }, repetitionPenalty };
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}

/**
 * Returns the size of a position of the caches of a text, in bytes.
 * @param grow whether those of its tokens, or of its encoder
 */
function bytesPerPosition({ caches }: Decoder, grow: boolean): number {
  return caches.filter(({ grows }) => grows === grow).reduce((sum, cache) => sum + bytesIn(cache), 0);
}

function bytesIn({ input: { type, dims }, batchAxis }: CachePair): number {
  const elements = dims.reduce<number>((product, size, at) => (at === batchAxis ? product : product * (size ?? 1)), 1);
  const one = elementOf(type).create(1);
  return elements * ("BYTES_PER_ELEMENT" in one ? one.BYTES_PER_ELEMENT : one.length);
}

/** Number of texts that run at the same time, if the options do not say another one. */
const MAX_TEXTS = 32;

/**
 * Creates a model that generates texts, as `createBatchedModel` does.
 * @param options those that `checkModelOptions` has checked
 * @param onUse called at each request, and at each run of texts
 * @throws the errors of `createBatchedModel`
 */
export async function createGeneratingModelAt(
  sites: TensorSites,
  source: KeptModel,
  options: GeneratingOptions,
  onUse: () => void = () => undefined,
): Promise<GeneratingWorkerModel> {
  checkFilesOf(source, options);
  const decoder = options.generate === true ? {} : options.generate;
  const { maxCacheBytes: _, ...names } = decoder;
  const { maxQueueSize, release } = batchingOf(options);
  const maxTexts = release === "off" ? 1 : (options.maxBatchSize ?? MAX_TEXTS);
  const { loadWays: _ways, served = null, ...own } = sites;
  return openOnWorkers({
    options,
    planFor(maxBatchSize, listener) {
      const plan = planLoad(source, options, maxBatchSize, { ...own, served }, listener);
      return { ...plan, request: { ...plan.request, generate: names } };
    },
    providers: providersOf(options, source),
    // What runs here is no batch of items, so there is nothing to compare.
    loadWays: null,
    kindOf({ session: { model } }) {
      const checks = options.validate && own.planChecks?.(model.signature.inputs, options.validate);
      const reader = InputReader.for(model.signature, model.padding, checks);
      const kind = own.itemsOf?.(reader, null, options, model) ?? tensorItems(reader, null);
      return watched(own.suspects?.among(kind) ?? kind, onUse);
    },
    modelOf: (parts) => new GeneratingWorkerModel(parts, { decoder, maxTexts, maxQueueSize, onUse }),
  });
}
