/** A tensor of a run. Its type follows from its array. */
export interface AudioTensor {
  readonly data: Float32Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>;
  readonly dims: readonly number[];
}

/** A plain onnxruntime-web session on WebAssembly. One run at a time. */
export interface AudioSession {
  /** Returns the outputs by name. */
  run(feeds: Readonly<Record<string, AudioTensor>>): Promise<Record<string, Float32Array>>;
}

/** @param url an absolute URL */
export async function openAudioSession(url: string): Promise<AudioSession> {
  const ort = await import("onnxruntime-web/wasm");
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(url, { executionProviders: ["wasm"] });
  return {
    async run(feeds) {
      const tensors = Object.entries(feeds).map(([name, { data, dims }]) => {
        return [name, new ort.Tensor(data instanceof Float32Array ? "float32" : "int64", data, dims)] as const;
      });
      const outputs = Object.entries(await session.run(Object.fromEntries(tensors)));
      return Object.fromEntries(outputs.map(([name, { data }]) => [name, numbersOf(data)]));
    },
  };
}

function numbersOf(data: unknown): Float32Array {
  if (data instanceof Float32Array) return data;
  throw new TypeError("Expected float32 numbers.");
}
