import { type ExecutionProvider, isSameWay, type Way } from "../../transport/providers.js";
import type { ModelDatabase } from "../../store/model-database.js";
import type { LoadRequest, WayRecord } from "../../transport/protocol.js";
import { NOTHING_KNOWN, readKnown, waysContext } from "../files/known-ways.js";
import type { DeviceFinder } from "../ort/device.js";
import type { DecidedRequest } from "../ort/early-runtime.js";

/** The maximum number of threads that are tried: few models gain from more. */
const MAX_THREADS = 4;

/**
 * Size of the files from which a model starts on several threads, in bytes: until its ways are measured, its size is all
 * that is known of what a run costs. On two threads the benchmark's models below it gain 0.9 to 1.13, which nobody feels;
 * those above it gain 1.07 to 1.59, but for one (`mlp-784`, 0.86 to 1.05).
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
 * first; without one, the GPU, if it is not in software; without a GPU, several threads for a large model.
 *
 * @param isLarge resolves to whether the model's files have `LARGE_BYTES` or more
 */
export async function chooseWay(
  request: LoadRequest,
  findDevice: DeviceFinder,
  database: ModelDatabase | null,
  isLarge: Promise<boolean>,
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
  const { ways: known, bytes } =
    database === null || context === null ? NOTHING_KNOWN : await readKnown(request, context, database);
  const stored = known?.best ?? null;
  const best = offered.find((way) => stored !== null && isSameWay(stored, way)) ?? null;
  return {
    request: {
      ...request,
      providers: best === null ? providers : first(best.provider, providers),
      numThreads: best?.numThreads ?? (await firstThreads(offered, bytes === null ? isLarge : bytes >= LARGE_BYTES)),
    },
    context,
    known: stored === null || best !== null ? known : null,
    offered,
  };
}

/** Returns the number of threads of a first visit. */
async function firstThreads(
  [usual = { provider: "wasm", numThreads: 1 }, ...others]: readonly Way[],
  isLarge: boolean | Promise<boolean>,
): Promise<number> {
  const most = Math.max(usual.numThreads, ...others.map(({ numThreads }) => numThreads));
  if (usual.provider !== "wasm" || most === usual.numThreads) return usual.numThreads;
  return (await isLarge) ? most : usual.numThreads;
}

function first(provider: ExecutionProvider, providers: readonly ExecutionProvider[]): readonly ExecutionProvider[] {
  return [provider, ...providers.filter((other) => other !== provider)];
}

/** Threads need shared memory, which only cross-origin isolated pages have. */
function mostThreads(): number {
  return globalThis.crossOriginIsolated ? Math.max(1, Math.min(MAX_THREADS, navigator.hardwareConcurrency)) : 1;
}
