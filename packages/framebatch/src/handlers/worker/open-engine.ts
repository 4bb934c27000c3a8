import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { after } from "@framebatch/host/host-timer.js";
import type { BatchCheck, LoadedModel, LoadReply, LoadRequest, WorkerNotice } from "../../transport/protocol.js";
import { EngineBatches, type Exclusively } from "./engine-batches.js";
import { handlerFailed } from "./handler-errors.js";
import type { Registration } from "./registration.js";
import type { AnyEngine } from "./handlers.js";
import { isElements } from "@framebatch/batcher/errors/description.js";

/** How often a worker says that its engine still loads, in milliseconds: a load may take longer than any run. */
const SIGN_OF_LIFE_MS = 5000;

/** How a worker with an engine has loaded. */
export interface OpenedEngine {
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
