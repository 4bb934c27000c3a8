import { describe, expect, it } from "vitest";
import { checkModelOptions } from "./model-options.js";
import { checkPredictOptions } from "@framebatch/batcher/options/predict-options.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ModelOptions, TrustedAddress } from "../../index.js";

function refusalOf(check: () => void): string {
  try {
    check();
  } catch (error) {
    if (error instanceof FramebatchError && error.code === "INVALID_OPTION") return error.message;
    throw error;
  }
  return "accepted";
}

describe("model options", () => {
  it.each([
    { executionProviders: ["wasm"] },
    { executionProviders: "auto" },
    { executionProviders: ["webgpu", "wasm"] },
    { batchAxis: { image: 0, table: null } },
    { padding: {} },
    { warmup: false },
    { cache: true },
    { integrity: "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" },
    { integrity: "sha256-AAAA sha512-BBBB?ct=onnx" },
    { sessionOptions: { graphOptimizationLevel: "all" } },
    { sessionOptions: { freeDimensionOverrides: { batch: 1 } } },
    { outputs: ["label"] },
    { wasmPaths: "/ort/" },
    { wasmPaths: new URL("https://example.com/ort/") },
    { wasmPaths: { "ort-wasm-simd-threaded.wasm": "/a.wasm" } },
    { workerUrl: "/framebatch.worker.js" },
    { externalData: [{ path: "a.data", source: "/a.data", integrity: "sha256-AAAA" }] },
    { verify: { budgetMs: 0 } },
    { validate: { ids: { min: 0, max: 7 } } },
    { numThreads: 4 },
    { instances: 2 },
    { shared: true },
    { shared: false, instances: 2 },
    { stallTimeoutMs: 60_000 },
    { onProgress: () => {} },
    { signal: new AbortController().signal },
    { maxBatchSize: undefined, numThreads: undefined },
  ])("accepts %o", (options) => {
    expect(refusalOf(() => checkModelOptions(options))).toBe("accepted");
  });

  it.each([
    [null, /^options: expected an object, got null/],
    [
      { executionProviders: [] },
      /^executionProviders: expected "auto" or a list of "webgpu", "webnn", "wasm", got Array\(0\);/,
    ],
    [{ executionProviders: ["cuda"] }, /^executionProviders/],
    [{ executionProviders: ["wasm", "wasm"] }, /^executionProviders/],
    [{ executionProviders: "wasm" }, /^executionProviders.*got string "wasm"/],
    [{ batchAxis: 0 }, /^batchAxis: expected an object of axes by tensor name, got number 0;/],
    [{ padding: [] }, /^padding/],
    [{ warmup: 1 }, /^warmup: expected true or false, got number 1;/],
    [{ cache: "no" }, /^cache/],
    [{ integrity: "md5-AAAA" }, /^integrity/],
    [{ integrity: "" }, /^integrity/],
    [
      { sessionOptions: { freeDimensionOverrides: { batch: 0 } } },
      /^sessionOptions\.freeDimensionOverrides\["batch"\]: expected a whole number from 1 to 2147483647, got number 0; /,
    ],
    [
      { sessionOptions: { freeDimensionOverrides: { width: 2.5 } } },
      /from 1 to 2147483647, got number 2\.5; write \{ "width": 1 \}/,
    ],
    [{ sessionOptions: { freeDimensionOverrides: { width: 2 ** 31 } } }, /from 1 to 2147483647, got number 2147483648/],
    [{ sessionOptions: { freeDimensionOverrides: [1] } }, /expected an object of sizes/],
    [{ outputs: [] }, /^outputs: expected a list of names of outputs, got Array\(0\); write \["label"\]/],
    [{ outputs: "label" }, /^outputs: expected a list/],
    [{ outputs: [0] }, /^outputs\[0\]: expected the name of an output, got number 0/],
    [{ sessionOptions: { log: () => {} } }, /^sessionOptions: expected plain data/],
    [{ wasmPaths: "/ort" }, /^wasmPaths: expected a URL that ends with "\/"/],
    [{ wasmPaths: { a: 1 } }, /^wasmPaths/],
    [{ workerUrl: "" }, /^workerUrl/],
    [{ numThreads: 0 }, /^numThreads: expected a whole number from 1 to 64, got number 0; leave it out for 1$/],
    [{ numThreads: 1.5 }, /^numThreads/],
    [{ instances: "2" }, /^instances: expected a whole number from 1 to 16, got string "2"; leave it out for 1$/],
    [{ instances: "auto" }, /^instances: expected a whole number from 1 to 16, got string "auto"; leave it out for 1$/],
    [{ instances: 17 }, /^instances/],
    [{ instances: 1.5 }, /^instances/],
    [{ shared: 1 }, /^shared: expected true or false, got number 1;/],
    [
      { shared: true, instances: 2 },
      /^instances: expected no value, because shared is set: all tabs have one session, got number 2;/,
    ],
    [{ stallTimeoutMs: Number.NaN }, /^stallTimeoutMs/],
    [{ onProgress: {} }, /^onProgress/],
    [{ signal: {} }, /^signal: expected an AbortSignal/],
    [{ numthreads: 2 }, /^numthreads: expected an option that exists.*did you mean "numThreads"\?/],
    [{ maxbatchsize: 2 }, /did you mean "maxBatchSize"\?/],
    [
      { frobnicate: 2 },
      /^frobnicate: expected an option that exists, got an unknown one; remove it; there are "executionProviders"/,
    ],
  ])("rejects %o", (options, message) => {
    expect(refusalOf(() => checkModelOptions(options))).toMatch(message);
  });
});

describe("nested options", () => {
  const file = { path: "a.data", source: "/a.data" };

  it.each([
    [
      { externalData: [{ ...file, integrty: "sha256-AAAA" }] },
      /^externalData\[0\]\.integrty: .*did you mean "integrity"\?/,
    ],
    [
      { externalData: [file, { ...file, integrity: "md5-AAAA" }] },
      /^externalData\[1\]\.integrity: expected "sha256-…"/,
    ],
    [{ externalData: [{ ...file, path: "../a" }] }, /^externalData\[0\]\.path: expected a relative path/],
    [{ externalData: [{ path: "a.data" }] }, /^externalData\[0\]: expected { path, source }/],
    [{ verify: { budgetMS: 1 } }, /^verify\.budgetMS: .*did you mean "budgetMs"\?/],
    [{ verify: { budgetMs: "1" } }, /^verify\.budgetMs: expected a number of milliseconds from 0, got string "1"/],
    [{ verify: { providers: 1 } }, /^verify\.providers: expected true or false, got number 1/],
    [{ padding: { ids: { bucket: [8] } } }, /^padding\["ids"\]\.bucket: .*did you mean "buckets"\?/],
    [{ padding: { ids: null } }, /^padding\["ids"\]: expected an object, got null/],
    [{ validate: { ids: { minimum: 0 } } }, /^validate\["ids"\]\.minimum: expected an option that exists/],
    [{ validate: { ids: 7 } }, /^validate\["ids"\]: expected an object, got number 7/],
  ])("defect 16: are rejected at once when they are invalid: %j", (options, message) => {
    expect(refusalOf(() => checkModelOptions(options))).toMatch(message);
  });

  it("of a batcher are rejected at once when they are invalid", () => {
    const options = { batching: { relase: "idle" } };
    expect(refusalOf(() => checkModelOptions(options))).toMatch(/^batching\.relase: .*did you mean "release"\?/);
  });

  it("use only exported types", () => {
    const address: TrustedAddress = { toJSON: () => "/framebatch.worker.js" };
    const options: ModelOptions = { workerUrl: address };
    expect(options.workerUrl).toBe(address);
  });
});

describe("predict options", () => {
  it.each([{}, { priority: "background" }, { timeoutMs: 0.5 }, { key: "" }, { signal: AbortSignal.abort() }] as const)(
    "accepts %o",
    (options) => {
      expect(refusalOf(() => checkPredictOptions(options))).toBe("accepted");
    },
  );

  it.each([
    [{ priority: "high" }, /^priority: expected "user-blocking", "user-visible", "background", got string "high";/],
    [{ timeoutMs: 0 }, /^timeoutMs: expected a number of milliseconds above 0/],
    [{ timeoutMs: Infinity }, /^timeoutMs/],
    [{ key: 7 }, /^key: expected a string, got number 7/],
    [{ timeout: 7 }, /^timeout: .*did you mean "timeoutMs"\?/],
    [{ signal: "now" }, /^signal/],
  ])("rejects %o", (options, message) => {
    // Callers in plain JavaScript can pass any value.
    expect(refusalOf(() => Reflect.apply(checkPredictOptions, undefined, [options]))).toMatch(message);
  });
});
