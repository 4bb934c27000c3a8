import type { RuntimeBuild, RuntimeFiles } from "../../transport/protocol.js";

/** The files of every build of ONNX Runtime, of which a worker loads one. */
export type RuntimeSite = Readonly<Record<RuntimeBuild, RuntimeFiles>>;

/** The option `wasmPaths` with absolute URLs. A folder ends with `/`. */
export type WasmPaths = string | Readonly<Record<string, string>>;

/** Names of the files in framebatch's `dist`. */
const NAMES: RuntimeSite = {
  jspi: { script: "framebatch.ort.jspi.js", wasm: "ort-wasm-simd-threaded.jspi.wasm" },
  webgpu: { script: "framebatch.ort.webgpu.js", wasm: "ort-wasm-simd-threaded.asyncify.bin" },
  wasm: { script: "framebatch.ort.wasm.js", wasm: "ort-wasm-simd-threaded.wasm" },
};

/** Returns the files in a folder. @param folder absolute URL that ends with `/` */
export function runtimesIn(folder: string): RuntimeSite {
  return mapBuilds((build) => ({ script: folder + NAMES[build].script, wasm: folder + NAMES[build].wasm }));
}

/** Returns the files with ONNX Runtime's own `.wasm` files from elsewhere, as far as `paths` names them. */
export function withWasmPaths(site: RuntimeSite, paths: WasmPaths): RuntimeSite {
  return mapBuilds((build) => {
    const name = NAMES[build].wasm.replace(/\.bin$/, ".wasm");
    const wasm = typeof paths === "string" ? paths + name : paths[name];
    return wasm === undefined ? site[build] : { ...site[build], wasm };
  });
}

/** Returns the files of every build. */
export function mapBuilds(filesOf: (build: RuntimeBuild) => RuntimeFiles): RuntimeSite {
  return { jspi: filesOf("jspi"), webgpu: filesOf("webgpu"), wasm: filesOf("wasm") };
}
