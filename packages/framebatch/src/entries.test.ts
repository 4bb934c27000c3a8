import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as entryWithoutModels from "./batched.js";
import * as entry from "./index.js";
import * as serverEntry from "./remote.js";
import { createBatchedModelBeside } from "./standalone.js";
import * as wasmEntry from "./wasm.js";
import * as workerEntry from "./worker/index.js";

/** What a page has of its worker here: it is started, and the model ends with it. */
class SilentWorker extends EventTarget {
  postMessage(): void {}
  terminate(): void {}
}

beforeEach(() => {
  vi.stubGlobal("Worker", SilentWorker);
  vi.stubGlobal("document", { baseURI: "https://page.example/" });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("framebatch/wasm has every export of framebatch", () => {
  expect(Object.keys(wasmEntry).toSorted()).toEqual(Object.keys(entry).toSorted());
});

test("framebatch/batched has every export but those that run models on the device", () => {
  const onDevice = ["createBatchedModel", "createModelGroup", "createModelHub"];
  expect(Object.keys(entryWithoutModels).toSorted()).toEqual(
    Object.keys(entry)
      .filter((name) => !onDevice.includes(name))
      .toSorted(),
  );
});

test("framebatch/remote has exports of framebatch", () => {
  expect(entry).toMatchObject({ ...serverEntry });
  expect(Object.keys(serverEntry).toSorted()).toEqual(["FramebatchError", "createRemoteModel", "toPrometheusText"]);
});

test("framebatch.worker.js sets every export of framebatch/worker", async () => {
  vi.stubGlobal("framebatch", undefined);
  await import("./worker/script.js");
  expect(Object.keys(Reflect.get(globalThis, "framebatch")).toSorted()).toEqual(Object.keys(workerEntry).toSorted());
});

test.each([[["webgpu"]], [["webgpu", "wasm"]], [["webnn"]]] as const)(
  "framebatch/wasm rejects the execution providers %j, which need another build of ONNX Runtime",
  async (executionProviders) => {
    await expect(wasmEntry.createBatchedModel("/digits.onnx", { executionProviders })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      details: { option: "executionProviders" },
      message: expect.stringContaining('expected "wasm"'),
    });
    const hub = wasmEntry.createModelHub();
    hub.register("digits", "/digits.onnx", { executionProviders });
    await expect(hub.get("digits")).rejects.toMatchObject({ code: "INVALID_OPTION" });
  },
);

test("framebatch/wasm checks all other options as framebatch does", async () => {
  await expect(wasmEntry.createBatchedModel("/digits.onnx", { maxBatchSize: 0 })).rejects.toMatchObject({
    code: "INVALID_OPTION",
    details: { option: "maxBatchSize" },
  });
});

test.each([undefined, {}, { executionProviders: ["wasm"] as const }])(
  "framebatch/wasm accepts the options %j",
  async (options) => {
    const stop = new AbortController();
    stop.abort(new Error("loaded far enough"));
    const model = wasmEntry.createBatchedModel("/digits.onnx", { ...options, signal: stop.signal });
    await expect(model).rejects.toThrow("loaded far enough");
  },
);

test.each([
  ["worker", "framebatch", entry.createBatchedModel],
  ["worker", "a page without a bundler", createBatchedModelBeside("https://page.example/framebatch.js")],
  ["remote", "framebatch", entry.createBatchedModel],
  ["remote", "a page without a bundler", createBatchedModelBeside("https://page.example/framebatch.js")],
])("a model of a group names the option %s, which it cannot have, in %s", async (option, _entry, create) => {
  const group = entry.createModelGroup();
  const values = { worker: () => new Worker(""), remote: { url: "/inference", model: "digits" } };
  const options = { group, [option]: Reflect.get(values, option) };
  await expect(Reflect.apply(create, null, ["/digits.onnx", options])).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining(`${option}: expected no value, because group is set`),
  });
});
