/** The execution providers that every machine has: WebGPU on SwiftShader, and WebAssembly. */
export type TestedProvider = "webgpu" | "wasm";
