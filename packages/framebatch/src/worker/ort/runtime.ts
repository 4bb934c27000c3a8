import type { ExecutionProvider } from "../../transport/providers.js";
import type { LoadRequest, RuntimeBuild } from "../../transport/protocol.js";
import type { ReportRuntimeBytes } from "./arriving-wasm.js";
import { importRuntime, type Runtime } from "./runtime-handover.js";

/**
 * Returns the provider as ONNX Runtime takes it. Those of its options that concern the GPU device hold for all sessions of
 * a worker, as the first one sets them.
 */
export function entryOf(provider: ExecutionProvider, { providerOptions }: Pick<LoadRequest, "providerOptions">) {
  return { name: provider, ...providerOptions[provider] };
}

/**
 * Loads and configures a build. ONNX Runtime keeps its state in its script, and a failed start cannot be repeated, so
 * each worker loads one build once.
 * @throws RUNTIME_LOAD_FAILED when the script cannot be loaded
 */
export async function loadRuntime(
  build: RuntimeBuild,
  { runtimes, numThreads }: Pick<LoadRequest, "runtimes"> & { readonly numThreads: number },
  onBytes: ReportRuntimeBytes = () => undefined,
): Promise<Runtime> {
  const runtime = await importRuntime(runtimes[build], numThreads > 1, onBytes);
  runtime.env.logLevel = "error";
  runtime.env.wasm.numThreads = numThreads;
  runtime.env.wasm.wasmPaths = { wasm: runtimes[build].wasm };
  return runtime;
}
