import type { ProgressNotice, Provider } from "../core/protocol.js";
import { absoluteUrl, type KeptSource } from "./model-source.js";
import type { LoadPlan } from "./model-session.js";
import type { ModelOptions } from "./options.js";
import { siteAt, type WorkerSite } from "./worker-site.js";

export const DEFAULT_PROVIDERS: readonly Provider[] = ["webgpu", "wasm"];
const DEFAULT_STALL_TIMEOUT_MS = 30_000;

/** What every worker of a model is told: the options with their defaults, and addresses made absolute. */
export function planLoad(
  source: KeptSource,
  options: ModelOptions,
  maxBatchSize: number,
  builtIn: WorkerSite,
  onWarning: (error: Error) => void,
): LoadPlan {
  const site = options.workerUrl === undefined ? builtIn : siteAt(absoluteUrl(options.workerUrl, "workerUrl"));
  return {
    source,
    site,
    request: {
      batchAxis: options.batchAxis ?? {},
      padding: options.padding ?? {},
      cache: options.cache ?? true,
      integrity: options.integrity ?? null,
      warmup: options.warmup ?? true,
      maxBatchSize,
      sessionOptions: options.sessionOptions ?? {},
      wasmPaths: absolutePaths(options.wasmPaths) ?? site.wasmPaths,
      numThreads: options.numThreads ?? 1,
      stallTimeoutMs: options.stallTimeoutMs ?? DEFAULT_STALL_TIMEOUT_MS,
    },
    onProgress: ({ phase, loadedBytes, totalBytes }: ProgressNotice) =>
      options.onProgress?.({ phase, loadedBytes, totalBytes }),
    onWarning,
  };
}

function absolutePaths(paths: ModelOptions["wasmPaths"]): string | Readonly<Record<string, string>> | null {
  if (paths === undefined) return null;
  if (typeof paths === "string" || paths instanceof URL) return absoluteUrl(paths, "wasmPaths");
  return Object.fromEntries(Object.entries(paths).map(([file, url]) => [file, absoluteUrl(url, "wasmPaths")]));
}
