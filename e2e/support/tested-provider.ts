/** The execution providers that are available on every machine: WebGPU on SwiftShader, and WebAssembly. */
export type TestedProvider = "webgpu" | "wasm";
