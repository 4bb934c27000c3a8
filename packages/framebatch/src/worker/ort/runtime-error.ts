import { errorTraits } from "@framebatch/batcher/errors/error-codes.js";
import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { isTensorLoss } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import { shownAddress, shownCause } from "@framebatch/batcher/errors/description.js";

/**
 * Out-of-memory messages of C++, Emscripten and the browsers. ONNX Runtime's error code does not identify them: it is
 * 6, the code of any exception.
 */
const NO_MEMORY =
  /bad_alloc|out of memory|\bOOM\b|could not allocate memory|allocation failed|failed to allocate|enlarge memory|Invalid (typed )?array length/i;

/** Converts what ONNX Runtime threw while creating a session. @param wasm address of its WebAssembly */
export function creationError(thrown: unknown, wasm: string): FramebatchError {
  const text = shownAddress(asError(thrown).message);
  const cause = shownCause(thrown);
  if (NO_MEMORY.test(text)) return outOfMemory("load the model; use a smaller or quantized one", text, cause);
  if (lacksOperator(text)) {
    return new FramebatchError(
      "UNSUPPORTED",
      `expected operators that ONNX Runtime has here for their types, got another one; export the model without it (${text})`,
      { cause },
    );
  }
  // ONNX Runtime's codes: 7 INVALID_PROTOBUF, 10 INVALID_GRAPH. No other provider would accept the model either.
  if (/ERROR_CODE: (7|10)\b|protobuf parsing failed|No graph was found/i.test(text)) {
    return new FramebatchError(
      "MODEL_INVALID",
      `expected an ONNX model, got bytes that ONNX Runtime refuses; check that the file is whole (${text})`,
      { cause },
    );
  }
  if (/unsafe-eval|blocked by CSP/i.test(text)) {
    return new FramebatchError(
      "RUNTIME_LOAD_FAILED",
      "expected permission to compile WebAssembly, got a Content-Security-Policy without it; add 'wasm-unsafe-eval' to the script-src that is sent with the page and with the worker's script",
      { cause },
    );
  }
  if (/no available backend found/i.test(text)) {
    return new FramebatchError(
      "RUNTIME_LOAD_FAILED",
      `expected ONNX Runtime to start, got a failure; check that ${shownAddress(wasm)} is served, or set wasmPaths (${text})`,
      { cause },
    );
  }
  return new FramebatchError("UNSUPPORTED", `ONNX Runtime could not make a session: ${text}`, { cause });
}

/** Whether a session could not be made because of an operator that the build lacks, at all or for its types. */
export function lacksOperator(text: string): boolean {
  return /No Op registered for|is not a registered function|Could not find an implementation for/.test(text);
}

/**
 * Converts what ONNX Runtime threw during a run. Returns a `FramebatchError` unchanged. If `fatal` is true, nothing
 * more can run in this worker.
 */
export function runError(thrown: unknown): { readonly error: FramebatchError; readonly fatal: boolean } {
  if (thrown instanceof FramebatchError) {
    // A tensor of an earlier worker is lost without this one.
    return { error: thrown, fatal: errorTraits(thrown.code).scope === "worker" && !isTensorLoss(thrown) };
  }
  const text = asError(thrown).message;
  // A trap, or a C++ exception that arrives as a plain number, leaves WebAssembly's memory in an unknown state.
  const fatal = thrown instanceof WebAssembly.RuntimeError || typeof thrown === "number";
  if (NO_MEMORY.test(text)) return { error: outOfMemory("run the batch; lower maxBatchSize", text, thrown), fatal };
  if (/MapAsyncStatus|mapAsync|device (was |is )?lost|Invalid Buffer|buffer_manager\.cc/i.test(text)) {
    return { error: deviceLost(text, thrown), fatal: true };
  }
  const error = fatal
    ? new FramebatchError("WORKER_CRASHED", `ONNX Runtime broke down: ${text}`, { cause: thrown })
    : new FramebatchError("INFERENCE_FAILED", `the model could not be run: ${text}`, { cause: thrown });
  return { error, fatal };
}

export function outOfMemory(what: string, why: string, cause?: unknown): FramebatchError {
  return new FramebatchError("OUT_OF_MEMORY", `expected memory to ${what} (${why})`, { cause });
}

/** This worker has no memory for a batch, but another worker may have enough for one of `maxRows` rows. */
export class RetryWithFewerRows extends FramebatchError {
  readonly maxRows: number;

  constructor(maxRows: number, cause: FramebatchError) {
    super("OUT_OF_MEMORY", cause.message, { cause });
    this.maxRows = maxRows;
  }
}

/** Returns true if the thrown error, or one of its causes, means that nothing more can run in this worker. */
export function endsWorker(thrown: unknown): boolean {
  return (
    runError(thrown).fatal ||
    (thrown instanceof FramebatchError && thrown.cause !== undefined && endsWorker(thrown.cause))
  );
}

export function deviceLost(why: string, cause?: unknown): FramebatchError {
  return new FramebatchError("DEVICE_LOST", `the GPU device was lost: ${why}`, { cause });
}
