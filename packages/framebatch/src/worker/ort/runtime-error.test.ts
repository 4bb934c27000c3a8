import { describe, expect, it } from "vitest";
import { creationError, runError } from "./runtime-error.js";

/** Errors that ONNX Runtime 1.30 and browsers were observed to throw. */
const RUNS: readonly (readonly [thrown: unknown, code: string, fatal: boolean])[] = [
  [new Error("failed to call OrtRun(). ERROR_CODE: 6, ERROR_MESSAGE: std::bad_alloc"), "OUT_OF_MEMORY", false],
  [new RangeError("Array buffer allocation failed"), "OUT_OF_MEMORY", false],
  [new WebAssembly.RuntimeError("Aborted(OOM). Build with -sASSERTIONS for more info."), "OUT_OF_MEMORY", true],
  [new Error("ERROR_CODE: 1, ERROR_MESSAGE: Failed to download data from buffer: mapAsync"), "DEVICE_LOST", true],
  [new WebAssembly.RuntimeError("memory access out of bounds"), "WORKER_CRASHED", true],
  [5244128, "WORKER_CRASHED", true],
  [new Error("ERROR_CODE: 2, ERROR_MESSAGE: Got invalid dimensions for input: x"), "INFERENCE_FAILED", false],
];

describe("a run that throws", () => {
  for (const [thrown, code, fatal] of RUNS) {
    it(`with ${String(thrown)} fails with ${code}, and the worker ${fatal ? "must be replaced" : "can run again"}`, () => {
      const failure = runError(thrown);
      expect(failure).toMatchObject({ fatal, error: { code, cause: thrown } });
    });
  }
});

const WASM = "https://example.com/ort-wasm-simd-threaded.wasm";

describe("a session that cannot be created", () => {
  it("fails with OUT_OF_MEMORY for lack of memory, which is not a fault of the model", () => {
    const thrown = new Error("Can't create a session. ERROR_CODE: 6, ERROR_MESSAGE: std::bad_alloc");
    expect(creationError(thrown, WASM)).toMatchObject({ code: "OUT_OF_MEMORY", cause: thrown });
  });

  it("fails with MODEL_INVALID if the bytes are not a model", () => {
    const thrown = new Error("Can't create a session. ERROR_CODE: 7, ERROR_MESSAGE: protobuf parsing failed.");
    expect(creationError(thrown, WASM).code).toBe("MODEL_INVALID");
  });

  it.each([
    "ERROR_CODE: 10, ERROR_MESSAGE: This is an invalid model. In Node, Error No Op registered for Scaler with domain_version of 1",
    "ERROR_CODE: 9, ERROR_MESSAGE: Could not find an implementation for Add(14) node with name ''",
    "ERROR_CODE: 1, ERROR_MESSAGE: Fatal error: com.microsoft:MoEPacked(-1) is not a registered function/op",
  ])("fails with UNSUPPORTED, which is no broken file, if an operator is missing: %s", (text) => {
    const { code, message } = creationError(new Error(`Can't create a session. ${text}`), WASM);
    expect([code, message]).toEqual(["UNSUPPORTED", expect.stringMatching(/^expected operators/)]);
  });

  it("fails with RUNTIME_LOAD_FAILED and the address if the .wasm file is missing", () => {
    const thrown = new Error("no available backend found. ERR: [wasm] both async and sync fetching of the wasm failed");
    expect(creationError(thrown, WASM)).toMatchObject({
      code: "RUNTIME_LOAD_FAILED",
      message: expect.stringContaining(WASM),
    });
  });

  /** What Chromium 156, Firefox 153 and WebKit say. */
  it.each([
    "no available backend found. ERR: [wasm] RuntimeError: Aborted(CompileError: WebAssembly.instantiate(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because neither 'wasm-eval' nor 'unsafe-eval' is an allowed source of script)",
    "no available backend found. ERR: [wasm] RuntimeError: Aborted(CompileError: call to WebAssembly.instantiate() blocked by CSP)",
  ])("names 'wasm-unsafe-eval' if the page's policy forbids WebAssembly: %s", (text) => {
    expect(creationError(new Error(text), WASM)).toMatchObject({
      code: "RUNTIME_LOAD_FAILED",
      message: expect.stringContaining("'wasm-unsafe-eval'"),
    });
  });
});
