import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished, vi } from "vitest";
import { keepFiles, isBytes } from "./kept-options.js";
import { keepSource, type ModelSource, type SourceByProvider } from "./model-source.js";

it.each([
  "new Uint8Array([1, 2]).buffer",
  "new Uint8Array([1, 2])",
  "new DataView(new Uint8Array([0, 1, 2]).buffer, 1)",
])("bytes of another realm are copied at once: %s", async (program) => {
  const source: ArrayBuffer | ArrayBufferView<ArrayBuffer> = runInNewContext(program);
  const copied = keepFiles(source);
  const kept = keepSource(source);
  new Uint8Array(ArrayBuffer.isView(source) ? source.buffer : source).fill(9);
  for (const copy of [copied, "blob" in kept && kept.blob])
    expect(copy instanceof Blob && [...new Uint8Array(await copy.arrayBuffer())]).toEqual([1, 2]);
});

/** A `Blob` as browsers have it: Node also makes one of memory that may be resized. */
class BrowserBlob extends Blob {
  constructor(parts: readonly (ArrayBuffer | ArrayBufferView<ArrayBuffer>)[]) {
    const isResizable = parts.some((part) => Reflect.get(ArrayBuffer.isView(part) ? part.buffer : part, "resizable"));
    if (isResizable) throw new TypeError("The provided ArrayBuffer value must not be resizable.");
    super([...parts]);
  }
}

it.each<[string, (buffer: ArrayBuffer) => ArrayBuffer | ArrayBufferView<ArrayBuffer>]>([
  ["memory", (buffer) => buffer],
  ["a view of all", (buffer) => new Uint8Array(buffer)],
  ["a view of a part", (buffer) => new DataView(buffer, 1, 2)],
])("bytes that may be resized are copied at once: %s", async (name, viewOf) => {
  vi.stubGlobal("Blob", BrowserBlob);
  onTestFinished(() => void vi.unstubAllGlobals());
  const buffer: ArrayBuffer = Reflect.construct(ArrayBuffer, [4, { maxByteLength: 8 }]);
  new Uint8Array(buffer).set([1, 2, 3, 4]);
  const source = viewOf(buffer);
  const kept = [
    keepFiles<unknown>(source),
    Reflect.get(keepSource(source), "blob"),
    keepFiles<unknown>([{ path: "w", source }]),
  ];
  new Uint8Array(buffer).fill(9);
  const [, , files] = kept;
  const external: unknown = Array.isArray(files) ? Reflect.get(files[0], "source") : null;
  for (const copy of [kept[0], kept[1], external]) {
    const expected = name === "a view of a part" ? [2, 3] : [1, 2, 3, 4];
    expect(copy instanceof Blob && [...new Uint8Array(await copy.arrayBuffer())]).toEqual(expected);
  }
});

it("the files by provider of another realm are copied at once", () => {
  const source: SourceByProvider = runInNewContext("({ wasm: new Uint8Array(2), webgpu: '/model.onnx' })");
  expect(keepFiles(source)).toEqual({ wasm: expect.any(Blob), webgpu: "/model.onnx" });
});

it("shared memory of any realm is no source", () => {
  const programs = ["new SharedArrayBuffer(2)", "new Uint8Array(new SharedArrayBuffer(2))"];
  for (const program of programs) {
    const source: ModelSource = runInNewContext(program);
    expect(isBytes(source)).toBe(false);
    expect(() => keepSource(source)).toThrow("source: expected a URL, an ArrayBuffer, a typed array or a Blob, got");
  }
});
