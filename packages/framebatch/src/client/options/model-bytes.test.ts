import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { copyBytes, isBytes } from "./model-bytes.js";
import { keepSource, type ModelSource, type SourceByProvider } from "./model-source.js";

it.each([
  "new Uint8Array([1, 2]).buffer",
  "new Uint8Array([1, 2])",
  "new DataView(new Uint8Array([0, 1, 2]).buffer, 1)",
])("bytes of another realm are copied at once: %s", async (program) => {
  const source: ArrayBuffer | ArrayBufferView<ArrayBuffer> = runInNewContext(program);
  const copied = copyBytes(source);
  const kept = keepSource(source);
  new Uint8Array(ArrayBuffer.isView(source) ? source.buffer : source).fill(9);
  for (const copy of [copied, "blob" in kept && kept.blob])
    expect(copy instanceof Blob && [...new Uint8Array(await copy.arrayBuffer())]).toEqual([1, 2]);
});

it("the files by provider of another realm are copied at once", () => {
  const source: SourceByProvider = runInNewContext("({ wasm: new Uint8Array(2), webgpu: '/model.onnx' })");
  expect(copyBytes(source)).toEqual({ wasm: expect.any(Blob), webgpu: "/model.onnx" });
});

it("shared memory of any realm is no source", () => {
  const programs = ["new SharedArrayBuffer(2)", "new Uint8Array(new SharedArrayBuffer(2))"];
  for (const program of programs) {
    const source: ModelSource = runInNewContext(program);
    expect(isBytes(source)).toBe(false);
    expect(() => keepSource(source)).toThrow("source: expected a URL, an ArrayBuffer, a typed array or a Blob, got");
  }
});
