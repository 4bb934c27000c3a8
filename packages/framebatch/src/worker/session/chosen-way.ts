import { type ExecutionProvider, isSameWay, type Way } from "../../transport/providers.js";
import type { ModelDatabase } from "../../store/model-database.js";
import type { LoadRequest, WayRecord } from "../../transport/protocol.js";
import { readKnownWays, waysContext } from "../files/known-ways.js";
import type { DeviceFinder } from "../ort/device.js";
import type { DecidedRequest } from "../ort/early-runtime.js";

/** The maximum number of threads that are tried: few models gain from more. */
const MAX_THREADS = 4;

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
 * first; without one, the GPU, if it is not in software.
 */
export async function chooseWay(
  request: LoadRequest,
  findDevice: DeviceFinder,
  database: ModelDatabase | null,
): Promise<ChosenWay> {
  const { numThreads, isAutomatic, providers } = request;
  if (!isAutomatic)
    return { request: { ...request, numThreads: numThreads ?? 1 }, context: null, known: null, offered: [] };
  const device = await findDevice("webgpu");
  const adapter = "missing" in device ? null : device.name;
  const threads = numThreads === null ? [...new Set([1, mostThreads()])] : [numThreads];
  const onGpu = "missing" in device ? [] : [{ provider: "webgpu" as const, numThreads: threads[0] ?? 1 }];
  const onWasm = threads.map((count) => ({ provider: "wasm" as const, numThreads: count }));
  const offered = [...onGpu, ...onWasm].filter((way) => providers.includes(way.provider));
  // ONNX Runtime starts after this, so nothing is read where there is no choice.
  const context = database === null || offered.length < 2 ? null : await waysContext(request, adapter);
  const known = database === null || context === null ? null : await readKnownWays(request, context, database);
  const stored = known?.best ?? null;
  const best = offered.find((way) => stored !== null && isSameWay(stored, way)) ?? null;
  return {
    request: {
      ...request,
      providers: best === null ? providers : first(best.provider, providers),
      numThreads: best?.numThreads ?? threads[0] ?? 1,
    },
    context,
    known: stored === null || best !== null ? known : null,
    offered,
  };
}

function first(provider: ExecutionProvider, providers: readonly ExecutionProvider[]): readonly ExecutionProvider[] {
  return [provider, ...providers.filter((other) => other !== provider)];
}

/** Threads need shared memory, which only cross-origin isolated pages have. */
function mostThreads(): number {
  return globalThis.crossOriginIsolated ? Math.max(1, Math.min(MAX_THREADS, navigator.hardwareConcurrency)) : 1;
}
