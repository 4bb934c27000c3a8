/** Loads ONNX Runtime for direct calls: the smallest build, with one thread. */
export async function createRuntime(): Promise<typeof import("onnxruntime-web/wasm")> {
  const runtime = await import("onnxruntime-web/wasm");
  runtime.env.wasm.numThreads = 1;
  return runtime;
}
