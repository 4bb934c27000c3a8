import type { ServedApi } from "../../src/transport/transport.js";
import type { LoadPlan } from "../../src/client/workers/model-session.js";
import { PinnedFiles } from "../../src/client/workers/pinned-files.js";
import { pageClock } from "../../src/client/page/page-clock.js";
import type { WorkerSite } from "../../src/client/workers/worker-site.js";
import type { ErrorCode } from "../../src/core/errors.js";
import type { LoadedModel, LoadReply, LoadRequest, RunReply, WorkerApi } from "../../src/transport/protocol.js";
import type { ExecutionProvider } from "../../src/core/providers.js";
import { channelSite, type ChannelWorker } from "./channel-worker.js";
import { RUNTIMES } from "./runtimes.js";

export const STALL_MS = 10_000;

/** A complete load request except for its files and providers. */
export const LOAD_REQUEST: Omit<LoadRequest, "location" | "externalData" | "variants" | "providers"> = {
  isAutomatic: false,
  maxModelBytes: 2 ** 31,
  rebatch: false,
  verifyBudgetMs: null,
  batchAxis: {},
  padding: {},
  cache: false,
  integrity: null,
  warmup: true,
  found: [],
  samples: [],
  maxBatchSize: 64,
  allowedBatchSizes: [],
  sessionOptions: {},
  providerOptions: {},
  agreement: { relative: null, absolute: 0 },
  signature: null,
  runtimes: RUNTIMES,
  numThreads: 1,
  stallTimeoutMs: STALL_MS,
  hasHandlers: false,
};

export const MODEL_URL = "https://example.com/model.onnx";

export function planAt(site: WorkerSite, runTimeoutMs: number | null = null, url: string = MODEL_URL): LoadPlan {
  const ignore = () => undefined;
  return {
    files: new PinnedFiles({ url }, []),
    site,
    sharing: null,
    runTimeoutMs,
    clock: { ...pageClock, close: ignore },
    request: LOAD_REQUEST,
    onProgress: ignore,
    onWarning: ignore,
    onTimed: ignore,
  };
}

export function errorData(code: ErrorCode) {
  return { name: "FramebatchError", message: code, stack: undefined, code, details: {}, cause: undefined } as const;
}

/** A worker that only loads and runs, with the given functions. */
export function scripted({ load, run }: Pick<WorkerApi, "load" | "run">): ServedApi {
  return {
    load: async (request) => ({ reply: await load(request), transfer: [] }),
    run: async (request) => ({ reply: await run(request), transfer: [] }),
    handle: async () => ({ reply: { ok: true, outcomes: [], inferenceMs: 0, rows: 0, volume: 0 }, transfer: [] }),
    recall: async () => ({ reply: [], transfer: [] }),
    stack: async ({ rows }) => ({ reply: { rows }, transfer: [] }),
    learn: async () => ({ reply: undefined, transfer: [] }),
  };
}

export function ready(
  provider: ExecutionProvider,
  changes: Partial<LoadedModel> = {},
): Extract<LoadReply, { readonly outcome: "ready" }> {
  const signature = { inputs: [], outputs: [], fixedBatch: null };
  const padding = { extents: [], paddedCount: 0, inputs: [], extentBySymbol: new Map() };
  const model = {
    signature,
    padding,
    provider,
    adapter: null,
    modelBytes: 1,
    fromCache: false,
    timings: [],
    costs: null,
    batchCheck: { outcome: "skipped", reason: "", fromCache: false },
    isRebatched: false,
    isProvisional: false,
    maxRows: null,
    numThreads: 1,
    otherWays: [],
    ways: null,
    ...changes,
  } as const;
  return { outcome: "ready", trials: [{ provider, chosen: true, reason: "" }], model };
}

export function failed(provider: ExecutionProvider, code: ErrorCode = "UNSUPPORTED"): LoadReply {
  return { outcome: "failed", trials: [{ provider, chosen: false, reason: "no" }], error: errorData(code) };
}

export const ANSWER: RunReply = { ok: true, outputs: {}, inferenceMs: 1 };

/** Never settles, like the calls of a terminated worker. */
export function silence<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}

/**
 * The behaviour of scripted workers: the n-th entry of `loads` answers the n-th load, and `run` receives the numbers in
 * the feeds.
 */
export interface Script {
  readonly loads?: readonly ((request: LoadRequest, worker: ChannelWorker) => LoadReply | Promise<LoadReply>)[];
  readonly run?: (items: readonly number[], worker: ChannelWorker) => RunReply | Promise<RunReply>;
}

/** Workers that follow a script. `log` records their requests in order. */
export function scriptedSite({ loads = [() => ready("wasm")], run = () => ANSWER }: Script, log: string[]) {
  const site = channelSite((worker) => {
    const load = loads[Math.min(site.started.length, loads.length) - 1] ?? (() => failed("wasm"));
    return scripted({
      load: async (request) => {
        log.push(`load ${request.providers.join()} ${"url" in request.location ? "url" : "bytes"}`);
        return load(request, worker);
      },
      run: async ({ feeds }) => {
        const items = feeds === "stacked" ? [] : Array.from<unknown>(feeds["x"]?.data ?? []).map(Number);
        log.push(`run ${items.join(" ")}`);
        return run(items, worker);
      },
    });
  });
  return site;
}
