import { describe, expect, it } from "vitest";
import { runtimesIn, withWasmPaths } from "./worker-site.js";

const SITE = runtimesIn("https://example.com/assets/");

describe("the option wasmPaths", () => {
  it("moves the .wasm files, and not the scripts, to another folder", () => {
    const { jspi, webgpu, wasm } = withWasmPaths(SITE, "https://cdn.example/ort/");
    expect([jspi, webgpu, wasm].map((files) => files.wasm)).toEqual([
      "https://cdn.example/ort/ort-wasm-simd-threaded.jspi.wasm",
      "https://cdn.example/ort/ort-wasm-simd-threaded.asyncify.wasm",
      "https://cdn.example/ort/ort-wasm-simd-threaded.wasm",
    ]);
    expect([jspi, webgpu, wasm].map((files) => files.script)).toEqual([
      SITE.jspi.script,
      SITE.webgpu.script,
      SITE.wasm.script,
    ]);
  });

  it("moves only the files that it names", () => {
    const moved = withWasmPaths(SITE, { "ort-wasm-simd-threaded.wasm": "https://example.com/a.wasm" });
    expect(moved).toEqual({ ...SITE, wasm: { ...SITE.wasm, wasm: "https://example.com/a.wasm" } });
  });
});
