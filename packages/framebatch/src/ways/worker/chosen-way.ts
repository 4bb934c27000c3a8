import type { ModelDatabase } from "../../store/model-database.js";
import type { LoadRequest, WayRecord } from "../../transport/protocol.js";
import { isSameWay, startingWith, type Way } from "../../transport/providers.js";
import { VERSION } from "../../transport/version.js";
import { readKnown } from "../../worker/files/known-model.js";
import { contextOf } from "../../worker/files/model-profile.js";
import type { DeviceFinder } from "../../worker/ort/device.js";
import type { DecidedRequest } from "../../worker/ort/early-runtime.js";

/** The maximum number of threads that are tried: few models gain from more. */
const MAX_THREADS = 4;

/**
 * Size of the files from which a model starts on the GPU or on several threads, in bytes: until its ways are measured,
 * its size is all that is known of what a run costs. On two threads the benchmark's models below it gain 0.9 to 1.13,
 * which nobody feels; those above it gain 1.07 to 1.59, but for one (`mlp-784`, 0.86 to 1.05). On an NVIDIA H200,
 * WebAssembly answers 12 to 33 times as fast as the GPU for a model below it, and has its first answer in half the
 * time.
 */
export const LARGE_BYTES = 500_000;

/** A request whose way to run is decided, and what is known about the others. */
export interface ChosenWay {
  readonly request: DecidedRequest;
  /** The context of what is stored about the ways; `null` if there is nothing to choose or to store. */
  readonly context: string | null;
  readonly known: WayRecord | null;
  /** All ways that this device and this page offer; empty if the user has chosen. */
  readonly offered: readonly Way[];
}

/**
 * Decides how to run the model. The user's choice is kept. Otherwise the way that earlier visits have found best comes
 * first; without one, the GPU, if it is not in software, or several threads for a large model, and one thread for a
 * small one. A small model stays on the GPU if nothing would bring it back there.
 *
 * @param isLarge resolves to whether the model's files have `LARGE_BYTES` or more; to `null` if that is not known
 */
export async function chooseWay(
  request: LoadRequest,
  findDevice: DeviceFinder,
  database: ModelDatabase | null,
  isLarge: Promise<boolean | null>,
): Promise<ChosenWay> {
  const { numThreads, isAutomatic, isDecided = false, comparesWays = false, providers } = request;
  if (!isAutomatic || isDecided)
    return { request: { ...request, numThreads: numThreads ?? 1 }, context: null, known: null, offered: [] };
  // A GPU that is not offered must not keep the load waiting: its process may have to start.
  const device = providers.includes("webgpu") ? await findDevice("webgpu") : { missing: "WebGPU is not offered" };
  const isNearGpu = !("missing" in device);
  const threads = numThreads === null ? [...new Set([1, mostThreads()])] : [numThreads];
  const all: Way[] = threads.map((count) => ({ provider: "wasm", numThreads: count }));
  if (isNearGpu) all.unshift({ provider: "webgpu", numThreads: threads[0] ?? 1 });
  const offered = all.filter((way) => providers.includes(way.provider));
  // ONNX Runtime starts after this, so nothing is read where there is no choice.
  const adapter = isNearGpu ? device.name : null;
  const context = database === null || offered.length < 2 ? null : await waysContext(request, adapter);
  const found = database === null || context === null ? null : await readKnown(request, context, database);
  const stored = found?.facts.ways ?? null;
  const best = offered.find((way) => stored !== null && isSameWay(stored.best, way)) ?? null;
  const bytes = found?.bytes ?? null;
  const way = best ?? (await firstWay(offered, bytes === null ? isLarge : bytes >= LARGE_BYTES, comparesWays));
  const leads = way !== null && (best !== null || isNearGpu);
  return {
    request: {
      ...request,
      providers: leads ? startingWith(way.provider, providers) : providers,
      numThreads: way?.numThreads ?? numThreads ?? 1,
      isNearGpu,
    },
    context,
    known: best === null ? null : stored,
    offered,
  };
}

/**
 * Returns the way of a first visit; `null` if there is none.
 * @param mayLeaveGpu whether the ways will be compared
 */
async function firstWay(
  offered: readonly Way[],
  isLarge: boolean | null | Promise<boolean | null>,
  mayLeaveGpu: boolean,
): Promise<Way | null> {
  const [usual = null] = offered;
  const isOnGpu = usual?.provider === "webgpu";
  if (offered.length < 2 || (isOnGpu && !mayLeaveGpu)) return usual;
  const large = await isLarge;
  if (large === null || (large && isOnGpu)) return usual;
  const onWasm = offered.filter(({ provider }) => provider === "wasm");
  return onWasm.at(large ? -1 : 0) ?? usual;
}

/** Threads need shared memory, which only cross-origin isolated pages have. */
function mostThreads(): number {
  return globalThis.crossOriginIsolated ? Math.max(1, Math.min(MAX_THREADS, navigator.hardwareConcurrency)) : 1;
}

/** Returns the context of facts about the ways to run: what decides which one is best, besides the model. */
export function waysContext(request: LoadRequest, adapter: string | null): Promise<string> {
  const { userAgent, hardwareConcurrency } = navigator;
  const device = [userAgent, hardwareConcurrency, globalThis.crossOriginIsolated, adapter];
  const { sessionOptions, providerOptions, agreement, outputs } = request;
  const files = request.variants.map(({ provider, externalData }) => [provider, externalData.length]);
  const own = outputs === undefined ? [] : [outputs];
  return contextOf(["ways", VERSION, device, sessionOptions, providerOptions, agreement, files, ...own]);
}
