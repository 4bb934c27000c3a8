import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { after } from "@framebatch/host/host-timer.js";
import type {
  BatchCheck,
  LoadedModel,
  LoadReply,
  LoadRequest,
  RunReply,
  WorkerNotice,
} from "../../transport/protocol.js";
import { handlerFailed, sendable } from "./handler-errors.js";
import type { Registration } from "./registration.js";
import type { AnyEngine } from "./handlers.js";
import { describeValue, isElements } from "@framebatch/batcher/errors/description.js";
import { isAboutItems } from "@framebatch/batcher/errors/blame.js";
import type { HandledOutcome } from "../handler-messages.js";
import type { Sent } from "../../transport/transport.js";
import type { HeldItem } from "./held-items.js";
import type { ItemBatch, ItemWork, TakenItem } from "./item-batches.js";

/** How often a worker says that its engine still loads, in milliseconds: a load may take longer than any run. */
const SIGN_OF_LIFE_MS = 5000;

/** How a worker with an engine has loaded. */
interface OpenedEngine {
  readonly reply: LoadReply;
  /** `null` if the load has failed. */
  readonly batches: EngineBatches | null;
}

/** Loads the engine that the module gives, runs the first sample and checks batches, as far as the page asks for it. */
export async function openEngine(
  request: LoadRequest,
  registration: Pick<Registration, "engine">,
  say: (notice: WorkerNotice) => void,
  exclusively: Exclusively,
): Promise<OpenedEngine> {
  try {
    const engine = await registration.engine();
    await load(engine, say);
    const batches = new EngineBatches(engine, request.allowedBatchSizes, exclusively);
    say({ notice: "progress", phase: "warmup", provider: request.providers[0] ?? null, loadedBytes: 0, totalBytes: 0 });
    const batchCheck = await tryOut(engine, batches, request, say);
    return { reply: { outcome: "ready", trials: [], model: modelWith(batchCheck, request) }, batches };
  } catch (error) {
    return { reply: { outcome: "failed", trials: [], error: encodeError(error) }, batches: null };
  }
}

async function load(engine: AnyEngine, say: (notice: WorkerNotice) => void): Promise<void> {
  const report = (loadedBytes: number, totalBytes: number | null) =>
    say({ notice: "progress", phase: "download", provider: null, loadedBytes, totalBytes });
  report(0, null);
  let stop = () => {};
  const live = () => {
    say({ notice: "loading" });
    stop = after(SIGN_OF_LIFE_MS, live);
  };
  live();
  try {
    await engine.load?.({ report });
  } catch (thrown) {
    throw handlerFailed("load", thrown);
  } finally {
    stop();
  }
}

/** Runs the first sample, or with `verify` all of them, alone and in batches. @throws what a sample alone throws */
async function tryOut(
  engine: AnyEngine,
  batches: EngineBatches,
  { samples, found, verifyBudgetMs, agreement: { relative }, maxBatchSize }: LoadRequest,
  say: (notice: WorkerNotice) => void,
): Promise<BatchCheck> {
  const compute = (values: readonly unknown[], isAlone: boolean) =>
    batches.compute(values, isAlone, new AbortController().signal);
  const known = found[0]?.batchCheck;
  const isChecked = verifyBudgetMs !== null && known === undefined;
  const tried = samples.slice(0, isChecked ? maxBatchSize : 1);
  const alone: unknown[] = [];
  for (const sample of tried) alone.push((await compute([sample], true))[0]);
  if (known !== undefined) return known;
  if (!isChecked || tried.length < 2) return SKIPPED;
  say({ notice: "checking", rows: tried.length });
  const agrees = (got: unknown, right: unknown) =>
    engine.agrees?.(got, right) ?? resultsAgree(got, right, relative ?? 0);
  const reason = await difference(tried, alone, agrees, (values) => compute(values, false));
  say({ notice: "checking", rows: 0 });
  if (reason !== null) return { outcome: "failed", reason, fromCache: false };
  const passed = `${tried.length} samples gave the same results alone and in batches`;
  return { outcome: "passed", reason: passed, fromCache: false };
}

const SKIPPED: BatchCheck = { outcome: "skipped", reason: "the option verify is not set", fromCache: false };

/** Compares the results of a batch of samples, in both orders, with those alone. Returns how they differ, or `null`. */
async function difference(
  samples: readonly unknown[],
  alone: readonly unknown[],
  agrees: (got: unknown, right: unknown) => boolean,
  compute: (values: readonly unknown[]) => Promise<readonly unknown[]>,
): Promise<string | null> {
  const places = [...samples.keys()];
  try {
    for (const order of [places, places.toReversed()]) {
      const results = await compute(order.map((place) => samples[place]));
      const wrong = order.find((place, index) => !agrees(results[index], alone[place]));
      if (wrong !== undefined) return `another result for sample ${wrong} in a batch than alone`;
    }
    return null;
  } catch (thrown) {
    return thrown instanceof FramebatchError ? `no results for a batch (${thrown.message})` : String(thrown);
  }
}

/** Describes an engine as the page knows models: it has no tensors, and runs on what it likes. */
function modelWith(batchCheck: BatchCheck, { providers }: LoadRequest): LoadedModel {
  return {
    batchCheck,
    providerCheck: { provider: "wasm", outcome: "skipped", reason: "an engine", comparedSizes: [], fromCache: false },
    signature: { inputs: [], outputs: [], fixedBatch: null },
    padding: { extents: [], paddedCount: 0, inputs: [], extentBySymbol: new Map() },
    provider: providers[0] ?? "wasm",
    adapter: null,
    modelBytes: 0,
    fromCache: false,
    timings: [],
    numThreads: 1,
    otherWays: [],
    isNearGpu: false,
    ways: null,
    costs: null,
    isRebatched: false,
    isProvisional: false,
    maxRows: null,
  };
}

/**
 * Whether two results of an engine are the same. A number may differ by `tolerance` times itself or, in a list, times
 * the mean magnitude of the list, whichever is more: kernels sum in different orders. Everything else must be equal.
 */
function resultsAgree(inBatch: unknown, alone: unknown, tolerance: number): boolean {
  if (isElements(inBatch) && isElements(alone)) return listsAgree(inBatch, alone, tolerance);
  if (typeof inBatch === "number" && typeof alone === "number") return isClose(inBatch, alone, tolerance, 0);
  if (!isObject(inBatch) || !isObject(alone)) return Object.is(inBatch, alone);
  const names = Object.keys(alone);
  if (names.length === 0 || names.length !== Object.keys(inBatch).length) return Object.is(inBatch, alone);
  return names.every((name) => resultsAgree(inBatch[name], alone[name], tolerance));
}

function listsAgree(inBatch: ArrayLike<unknown>, alone: ArrayLike<unknown>, tolerance: number): boolean {
  if (inBatch.length !== alone.length) return false;
  const scale = meanMagnitude(alone);
  return Array.from(alone).every((right, index) => {
    const got = inBatch[index];
    if (typeof right !== "number" || typeof got !== "number") return resultsAgree(got, right, tolerance);
    return isClose(got, right, tolerance, scale);
  });
}

function isClose(got: number, right: number, tolerance: number, scale: number): boolean {
  return Object.is(got, right) || Math.abs(got - right) <= tolerance * Math.max(Math.abs(right), scale);
}

/** Returns the mean absolute value of the finite numbers of a list; 0 if it has none. */
function meanMagnitude(list: ArrayLike<unknown>): number {
  const sizes = Array.from(list, (entry) => (typeof entry === "number" ? Math.abs(entry) : NaN)).filter(
    Number.isFinite,
  );
  return sizes.length === 0 ? 0 : sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !isElements(value);
}

/** Calls a function when nothing else runs that the worker does one at a time. */
export type Exclusively = <Result>(call: () => Promise<Result>) => Promise<Result>;

/** Runs batches of items on the user's own engine. */
export class EngineBatches implements ItemWork {
  readonly preprocess = null;
  readonly #engine: AnyEngine;
  readonly #allowedBatchSizes: readonly number[];
  readonly #exclusively: Exclusively;

  constructor(engine: AnyEngine, allowedBatchSizes: readonly number[], exclusively: Exclusively) {
    this.#engine = engine;
    this.#allowedBatchSizes = allowedBatchSizes;
    this.#exclusively = exclusively;
  }

  run(items: readonly TakenItem[], { isAlone }: Pick<ItemBatch, "isAlone">): Promise<Sent<RunReply>> {
    const held = items.map(({ item }) => item);
    return this.#exclusively(() => this.#runItems(held, isAlone));
  }

  async dispose(): Promise<void> {
    await this.#exclusively(async () => this.#engine.dispose?.());
  }

  /**
   * Computes the results of values, padded to an allowed size by repeating the last one.
   * @throws HANDLER_FAILED when the engine throws; INFERENCE_FAILED when it returns another number of results
   */
  async compute(values: readonly unknown[], isAlone: boolean, signal: AbortSignal): Promise<readonly unknown[]> {
    const size = this.#sizeFor(values.length, isAlone);
    const padding = Array.from({ length: size - values.length }, () => values.at(-1));
    const results = await this.#call([...values, ...padding], signal);
    if (!Array.isArray(results) || results.length !== size) throw wrongResults(size, results);
    return results.slice(0, values.length);
  }

  /** Returns the number of values that the engine gets for so many. */
  #sizeFor(count: number, isAlone: boolean): number {
    return isAlone ? 1 : (this.#allowedBatchSizes.find((allowed) => allowed >= count) ?? count);
  }

  async #call(values: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#engine.run(values, { signal });
    } catch (thrown) {
      throw handlerFailed("run", thrown, { isAboutItems: isAboutItems(thrown) });
    }
  }

  /** Items that were withdrawn while the batch waited do not run. */
  async #runItems(items: readonly HeldItem[], isAlone: boolean): Promise<Sent<RunReply>> {
    const wanted = items.filter(({ withdrawal }) => !withdrawal.signal.aborted);
    const startedAtMs = performance.now();
    const values = wanted.map(({ value }) => value);
    const isNeeded = wanted.length > 0;
    const results = isNeeded ? await this.compute(values, isAlone, signalOf(wanted)) : [];
    const inferenceMs = performance.now() - startedAtMs;
    const rows = isNeeded ? this.#sizeFor(wanted.length, isAlone) : 0;
    const resultOf = new Map(wanted.map((item, index) => [item, results[index]]));
    const transfer: Transferable[] = [];
    const outcomes = items.map((item) => (resultOf.has(item) ? outcomeOf(resultOf.get(item), transfer) : WITHDRAWN));
    return { reply: { ok: true, outcomes, inferenceMs, rows, volume: 0 }, transfer };
  }
}

/**
 * The outcome of an item whose request has ended, and that did not run: an error, because the page keeps results for
 * later requests.
 */
const WITHDRAWN: HandledOutcome = {
  error: encodeError(new FramebatchError("INFERENCE_FAILED", "the request ended before the item ran")),
};

/** Returns the outcome of an item. Adds what is transferred with it to `transfer`. */
function outcomeOf(result: unknown, transfer: Transferable[]): HandledOutcome {
  if (result instanceof Error) return { error: encodeError(handlerFailed("run", result)) };
  const sent = sendable("run", result);
  if (sent instanceof FramebatchError) return { error: encodeError(sent) };
  transfer.push(...sent.transfer);
  return { value: sent.value };
}

/** Returns a signal that aborts when all items have been withdrawn. */
function signalOf(items: readonly HeldItem[]): AbortSignal {
  const controller = new AbortController();
  const signals = items.map(({ withdrawal }) => withdrawal.signal);
  const look = () => signals.every(({ aborted }) => aborted) && controller.abort(signals[0]?.reason);
  for (const signal of signals) signal.addEventListener("abort", look, { once: true });
  return controller.signal;
}

function wrongResults(size: number, got: unknown): FramebatchError {
  const message = `run: expected a list of ${size} results, got ${describeValue(got)}; return one result for each item, in order`;
  return new FramebatchError("INFERENCE_FAILED", message);
}
