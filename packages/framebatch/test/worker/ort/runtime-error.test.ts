import { describe, expect, it } from "vitest";
import { creationError, runError } from "../../../src/worker/ort/runtime-error.js";

/** What ONNX Runtime 1.30 and the browsers were seen to throw. */
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
    it(`with ${String(thrown)} is ${code}, and the worker ${fatal ? "is spent" : "goes on"}`, () => {
      const failure = runError(thrown);
      expect(failure).toMatchObject({ fatal, error: { code, cause: thrown } });
    });
  }
});

describe("a session that cannot be made", () => {
  it("for want of memory is OUT_OF_MEMORY, which is not the model's fault", () => {
    const thrown = new Error("Can't create a session. ERROR_CODE: 6, ERROR_MESSAGE: std::bad_alloc");
    expect(creationError(thrown)).toMatchObject({ code: "OUT_OF_MEMORY", cause: thrown });
  });

  it("because the bytes are no model is MODEL_INVALID", () => {
    const thrown = new Error("Can't create a session. ERROR_CODE: 7, ERROR_MESSAGE: protobuf parsing failed.");
    expect(creationError(thrown).code).toBe("MODEL_INVALID");
  });
});
