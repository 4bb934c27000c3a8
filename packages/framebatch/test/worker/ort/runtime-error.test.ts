import { describe, expect, it } from "vitest";
import { creationError, runError } from "../../../src/worker/ort/runtime-error.js";

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

describe("a session that cannot be created", () => {
  it("fails with OUT_OF_MEMORY for lack of memory, which is not a fault of the model", () => {
    const thrown = new Error("Can't create a session. ERROR_CODE: 6, ERROR_MESSAGE: std::bad_alloc");
    expect(creationError(thrown)).toMatchObject({ code: "OUT_OF_MEMORY", cause: thrown });
  });

  it("fails with MODEL_INVALID if the bytes are not a model", () => {
    const thrown = new Error("Can't create a session. ERROR_CODE: 7, ERROR_MESSAGE: protobuf parsing failed.");
    expect(creationError(thrown).code).toBe("MODEL_INVALID");
  });
});
