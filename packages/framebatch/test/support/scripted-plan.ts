import type { ServedApi } from "../../src/transport/transport.js";
import type { LoadPlan } from "../../src/client/workers/model-session.js";
import { PinnedFiles } from "../../src/client/workers/pinned-files.js";
import { pageClock } from "@framebatch/host/host-timer.js";
import type { WorkerSite } from "../../src/client/workers/worker-site.js";
import type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
import type {
  LoadedModel,
  LoadReply,
  LoadRequest,
  RowsRequest,
  RunReply,
  RunRequest,
  WorkerApi,
} from "../../src/transport/protocol.js";
import type { ExecutionProvider } from "../../src/transport/providers.js";
import type { Run } from "../../src/client/workers/pending-runs.js";
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
  agreement: {},
  signature: null,
  runtimes: RUNTIMES,
  numThreads: 1,
  stallTimeoutMs: STALL_MS,
  served: "nothing",
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
    recall: async () => ({ reply: [], transfer: [] }),
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
    providerCheck: { provider, outcome: "skipped", reason: "", comparedSizes: [], fromCache: false },
    batchCheck: { outcome: "skipped", reason: "", fromCache: false },
    isRebatched: false,
    isProvisional: false,
    maxRows: null,
    numThreads: 1,
    otherWays: [],
    isNearGpu: false,
    ways: null,
    ...changes,
  } as const;
  return { outcome: "ready", trials: [{ provider, chosen: true, reason: "" }], model };
}

export function failed(provider: ExecutionProvider, code: ErrorCode = "UNSUPPORTED"): LoadReply {
  return { outcome: "failed", trials: [{ provider, chosen: false, reason: "no" }], error: errorData(code) };
}

/** A run of rows that each hold `width` of these numbers in one input, whose length is dynamic if there is a width. */
export function runOf(numbers: readonly number[], width?: number): RowsRequest {
  const count = numbers.length / (width ?? 1);
  const sizes = width === undefined ? [] : Array.from({ length: count }, () => width);
  const rows = { count, sizes, columns: [Float32Array.from(numbers)] };
  return { rows, paddedSize: count, extents: sizes.slice(0, 1) };
}

/** Returns the numbers in a run of small rows. */
export function numbersOfRun(request: RunRequest): number[] {
  const column = "rows" in request ? request.rows.columns[0] : [];
  return Array.from<unknown>(column ?? []).map(Number);
}

/** A run of one item that is no step of a search, but for `changes`. */
export function runBy(runOn: Run["runOn"], changes: Partial<Run> = {}): Run {
  const run = { runOn, size: 1, mayRepeat: true, isStep: false, predictedMs: null, timeoutMs: 0, ...changes };
  return { ...run, isDivided: run.isStep && run.size > 1 };
}

export const ANSWER: RunReply = { ok: true, outputs: {}, inferenceMs: 1 };

/** Never settles, like the calls of a terminated worker. */
export function silence<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}

/**
 * The behaviour of scripted workers: the n-th entry of `loads` answers the n-th load, and `run` receives the numbers in
 * the rows.
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
      run: async (request) => {
        const items = numbersOfRun(request);
        log.push(`run ${items.join(" ")}`);
        return run(items, worker);
      },
    });
  });
  return site;
}
