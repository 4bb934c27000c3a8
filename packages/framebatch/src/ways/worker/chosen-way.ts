import {
  isSameWay,
  startingWith,
  traitsOf,
  type Way,
  type ProviderCheck,
  type ExecutionProvider,
} from "../../transport/providers.js";
import type { ModelDatabase } from "../../store/model-database.js";
import type { LoadRequest, WayRecord, Trial } from "../../transport/protocol.js";
import { NOTHING_KNOWN, readKnown, waysContext } from "./known-ways.js";
import type { DeviceFinder } from "../../worker/ort/device.js";
import type { DecidedRequest } from "../../worker/ort/early-runtime.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/** The maximum number of threads that are tried: few models gain from more. */
const MAX_THREADS = 4;

/**
 * Size of the files from which a model starts on the GPU or on several threads, in bytes: until its ways are measured, its
 * size is all that is known of what a run costs. On two threads the benchmark's models below it gain 0.9 to 1.13, which
 * nobody feels; those above it gain 1.07 to 1.59, but for one (`mlp-784`, 0.86 to 1.05). On an NVIDIA H200, WebAssembly
 * answers 12 to 33 times as fast as the GPU for a model below it, and has its first answer in half the time.
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
  /** What earlier visits have found about the answers of a provider; `null` if nothing. */
  readonly knownCheck: ProviderCheck | null;
}

/**
 * Decides how to run the model. The user's choice is kept. Otherwise the way that earlier visits have found best comes
 * first; without one, the GPU, if it is not in software, or several threads for a large model, and one thread for a small
 * one. A small model stays on the GPU if nothing would bring it back there.
 *
 * @param isLarge resolves to whether the model's files have `LARGE_BYTES` or more; to `null` if that is not known
 */
export async function chooseWay(
  request: LoadRequest,
  findDevice: DeviceFinder,
  database: ModelDatabase | null,
  isLarge: Promise<boolean | null>,
): Promise<Omit<ChosenWay, "knownCheck">> {
  const { numThreads, isAutomatic, isDecided = false, comparesWays = false, providers } = request;
  if (!isAutomatic || isDecided)
    return { request: { ...request, numThreads: numThreads ?? 1 }, context: null, known: null, offered: [] };
  // A GPU that is not offered must not keep the load waiting: its process may have to start.
  const device = providers.includes("webgpu") ? await findDevice("webgpu") : { missing: "WebGPU is not offered" };
  const adapter = "missing" in device ? null : device.name;
  const threads = numThreads === null ? [...new Set([1, mostThreads()])] : [numThreads];
  const onGpu = "missing" in device ? [] : [{ provider: "webgpu" as const, numThreads: threads[0] ?? 1 }];
  const onWasm = threads.map((count) => ({ provider: "wasm" as const, numThreads: count }));
  const offered = [...onGpu, ...onWasm].filter((way) => providers.includes(way.provider));
  // ONNX Runtime starts after this, so nothing is read where there is no choice.
  const context = database === null || offered.length < 2 ? null : await waysContext(request, adapter);
  const { ways: known, bytes } =
    database === null || context === null ? NOTHING_KNOWN : await readKnown(request, context, database);
  const stored = known?.best ?? null;
  const best = offered.find((way) => stored !== null && isSameWay(stored, way)) ?? null;
  const size = bytes === null ? isLarge : bytes >= LARGE_BYTES;
  const way = best ?? (await firstWay(offered, size, comparesWays));
  return {
    request: {
      ...request,
      providers:
        way === null || (best === null && onGpu.length === 0) ? providers : startingWith(way.provider, providers),
      numThreads: way?.numThreads ?? numThreads ?? 1,
      isNearGpu: onGpu.length > 0,
    },
    context,
    known: stored === null || best !== null ? known : null,
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
  const [usual = null, ...others] = offered;
  const isOnGpu = usual !== null && traitsOf(usual.provider).usesGpu;
  if (others.length === 0 || (isOnGpu && !mayLeaveGpu)) return usual;
  const large = await isLarge;
  const onWasm = offered.filter(({ provider }) => !traitsOf(provider).usesGpu);
  if (large === null || (large && isOnGpu)) return usual;
  return (large ? onWasm.at(-1) : onWasm[0]) ?? usual;
}

/** Threads need shared memory, which only cross-origin isolated pages have. */
function mostThreads(): number {
  return globalThis.crossOriginIsolated ? Math.max(1, Math.min(MAX_THREADS, navigator.hardwareConcurrency)) : 1;
}

/**
 * Chooses the files of the first provider that this browser supports, where each provider has its own. Only these are
 * fetched. Leaves the providers before it out, and adds their trials to `trials`.
 * @throws UNSUPPORTED when this browser supports none
 */
export async function withOwnFiles(way: ChosenWay, findDevice: DeviceFinder, trials: Trial[]): Promise<ChosenWay> {
  const { request } = way;
  if (request.variants.length === 0) return way;
  for (const [index, provider] of request.providers.entries()) {
    const device = await findDevice(provider);
    const variant = request.variants.find((own) => own.provider === provider);
    if (variant !== undefined && !("missing" in device)) {
      const { location, externalData, integrity } = variant;
      const own = { location, externalData, integrity, providers: request.providers.slice(index) };
      return { ...way, request: { ...request, ...own } };
    }
    trials.push({ provider, chosen: false, reason: "missing" in device ? device.missing : "it has no file" });
  }
  throw noneWorks(trials);
}

/** Returns the providers that this worker may try. One with other files is tried in another worker, which fetches them. */
export function providersHere({ providers, variants }: LoadRequest): readonly ExecutionProvider[] {
  return variants.length > 0 ? providers.slice(0, 1) : providers;
}

/** Returns the error for a model that runs on no provider. */
export function noneWorks(trials: readonly Trial[]): FramebatchError {
  const last = trials.at(-1);
  return new FramebatchError("UNSUPPORTED", `no execution provider works here: ${last?.provider}: ${last?.reason}`);
}
