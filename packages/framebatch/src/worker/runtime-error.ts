import { FramebatchError } from "../core/errors.js";

/** What ONNX Runtime threw as a session was made, in our words. */
export function creationError(thrown: unknown): FramebatchError {
  const text = textOf(thrown);
  // The codes are ONNX Runtime's: 7 INVALID_PROTOBUF, 10 INVALID_GRAPH. No other provider would take the model either.
  if (/ERROR_CODE: (7|10)\b|protobuf parsing failed|No graph was found/i.test(text)) {
    return new FramebatchError(
      "MODEL_INVALID",
      `expected an ONNX model, got bytes that ONNX Runtime refuses; check that the file is whole (${text})`,
      { cause: thrown },
    );
  }
  if (/no available backend found|dynamically imported module|Importing a module script failed/i.test(text)) {
    return new FramebatchError(
      "RUNTIME_LOAD_FAILED",
      `expected ONNX Runtime to start, got a failure; check that its .wasm files are served, or set wasmPaths (${text})`,
      { cause: thrown },
    );
  }
  return new FramebatchError("UNSUPPORTED", `ONNX Runtime could not make a session: ${text}`, { cause: thrown });
}

/** What ONNX Runtime threw as a session ran. `fatal`: nothing more can run in this worker. */
export function runError(thrown: unknown): { readonly error: FramebatchError; readonly fatal: boolean } {
  const text = textOf(thrown);
  if (/MapAsyncStatus|mapAsync|device (was |is )?lost|Invalid Buffer|buffer_manager\.cc/i.test(text)) {
    return { error: deviceLost(text, thrown), fatal: true };
  }
  // A trap, or a C++ exception that reached us as a bare number, leaves WebAssembly's memory in an unknown state.
  if (thrown instanceof WebAssembly.RuntimeError || typeof thrown === "number") {
    return {
      error: new FramebatchError("WORKER_CRASHED", `ONNX Runtime broke down: ${text}`, { cause: thrown }),
      fatal: true,
    };
  }
  return {
    error: new FramebatchError("INFERENCE_FAILED", `the model could not be run: ${text}`, { cause: thrown }),
    fatal: false,
  };
}

export function deviceLost(why: string, cause?: unknown): FramebatchError {
  return new FramebatchError("DEVICE_LOST", `the GPU device was lost: ${why}`, { cause });
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
