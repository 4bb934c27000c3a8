/** How framebatch handles an error, and what the caller can do. */
export interface ErrorTraits {
  /**
   * Whether a retry may help:
   * - `never`: no, unless the call, the model, the server or the browser changes.
   * - `passing`: yes. framebatch has already tried several times.
   * - `byStatus`: like `passing` for a status that may pass, see `statusTraits`; otherwise no.
   * - `ifBusy`: like `passing` for such a status that blames the server alone; otherwise no.
   * - `once`: no. framebatch has already retried once, because a broken connection can look the same.
   * - `byCaller`: yes. framebatch has not retried, because the wait was already long.
   * - `online`: once the browser is online.
   * - `restart`: call `model.restart()`. framebatch has already tried new workers.
   * - `later`: when the load is lower.
   */
  readonly retry: "never" | "passing" | "byStatus" | "ifBusy" | "once" | "byCaller" | "online" | "restart" | "later";
  /** What the error affects. After an error with the scope `worker`, that worker runs nothing more. */
  readonly scope: "call" | "request" | "batch" | "download" | "model" | "cache" | "provider" | "worker" | "page";
}

/** All error codes. To add an error, add an entry: retries, recovery and the documentation derive from it. */
export const ERRORS = {
  /** An option has an invalid value. */
  INVALID_OPTION: { retry: "never", scope: "call" },
  /** An input does not fit the model. Others in its batch are not affected. */
  INVALID_INPUT: { retry: "never", scope: "call" },
  /** The server answered the download with a status other than success. */
  MODEL_STATUS: { retry: "byStatus", scope: "download" },
  /** The network failed: a DNS lookup, a connection. */
  MODEL_NETWORK: { retry: "passing", scope: "download" },
  /** The browser is offline, and the model is not in the cache. */
  MODEL_OFFLINE: { retry: "online", scope: "download" },
  /** The server does not allow this origin to read the model (CORS). */
  MODEL_CORS: { retry: "once", scope: "download" },
  /** The address redirects in a loop or to a forbidden address. */
  MODEL_REDIRECT: { retry: "once", scope: "download" },
  /** The server sent no data for `stallTimeoutMs`. */
  MODEL_STALLED: { retry: "byCaller", scope: "download" },
  /** The model file is incomplete. */
  MODEL_TRUNCATED: { retry: "passing", scope: "download" },
  /** The server sent a web page instead of the model. */
  MODEL_HTML: { retry: "never", scope: "download" },
  /** The model is larger than `maxModelBytes`, or than this browser can load. */
  MODEL_TOO_LARGE: { retry: "never", scope: "model" },
  /**
   * ONNX Runtime cannot load the bytes as an ONNX model, the model is newer than it, or has an input or output without
   * an array in JavaScript.
   */
  MODEL_INVALID: { retry: "never", scope: "model" },
  /**
   * The bytes do not match the digest in `integrity`. Also when a model is loaded again, and its bytes are neither in
   * the cache nor on the server, or a picked file has changed. For the new version, create a new model.
   */
  MODEL_INTEGRITY: { retry: "never", scope: "model" },
  /**
   * The model cache does not work, and the model was loaded without it. Only an event, and from `listCachedModels`
   * and `clearModelCache`.
   */
  CACHE_FAILED: { retry: "never", scope: "cache" },
  /**
   * The worker's script could not be loaded, threw while it started, has another version of framebatch than the page,
   * or did not report that it was ready.
   */
  WORKER_LOAD_FAILED: { retry: "never", scope: "page" },
  /** The worker crashed while calls were pending. */
  WORKER_CRASHED: { retry: "restart", scope: "worker" },
  /** The worker took far longer than a run should take, and was terminated. */
  WORKER_HUNG: { retry: "restart", scope: "worker" },
  /** There is not enough memory to load the model or to run a single item. */
  OUT_OF_MEMORY: { retry: "never", scope: "provider" },
  /**
   * The model gives different answers in a batch than for single items. Only an event if it can run item by item. With
   * a fixed batch of several rows it cannot, and fails: export it with a dynamic batch dimension.
   */
  BATCH_UNSAFE: { retry: "never", scope: "batch" },
  /**
   * The model answers otherwise on the GPU than on WASM. Only an event. The model has left the GPU, or stays on it
   * because there is no other provider: then add `"wasm"` to `executionProviders`. Answers before it may be wrong.
   */
  PROVIDER_WRONG: { retry: "never", scope: "provider" },
  /**
   * ONNX Runtime's WebAssembly files, or a part of framebatch that loads on demand, could not be loaded.
   * Also after 60 s without progress, or `runTimeoutMs` if that is longer.
   */
  RUNTIME_LOAD_FAILED: { retry: "never", scope: "provider" },
  /**
   * None of the requested execution providers works here, the model has an operator that ONNX Runtime lacks there, or
   * the code does not run in a page or a dedicated worker of a browser.
   */
  UNSUPPORTED: { retry: "never", scope: "provider" },
  /** The GPU device was lost, or with a worker the tensor that a handle stands for. Predict the tensor again. */
  DEVICE_LOST: { retry: "restart", scope: "worker" },
  /** The run of a batch failed, or returned a different number of rows than the batch has. */
  INFERENCE_FAILED: { retry: "never", scope: "request" },
  /**
   * `preprocess`, `postprocess` or `choose`, or `load` or `run` of an engine, threw or returned something that cannot
   * be used. `details.stage` says which of them; `cause` is what it threw. Others in the batch are not affected.
   */
  HANDLER_FAILED: { retry: "never", scope: "request" },
  /**
   * The request was rejected at the call or dropped before dispatch, because the queue was full or `maxLatencyMs`
   * could not be met.
   */
  OVERLOADED: { retry: "later", scope: "request" },
  /** The request's `timeoutMs` passed before its result was available. */
  TIMED_OUT: { retry: "later", scope: "request" },
  /** A newer request with the same `key` superseded this one. */
  SUPERSEDED: { retry: "never", scope: "request" },
  /**
   * A function of a pipeline threw: a stage, a split or a collect. `cause` is what it threw, and `details` have the
   * place and the name of the stage.
   */
  STAGE_FAILED: { retry: "never", scope: "request" },
  /**
   * The browser does not let this page use the server: its address has plain `http:` while the page is secure, it
   * does not allow this origin (CORS), or it redirects.
   */
  REMOTE_BLOCKED: { retry: "never", scope: "call" },
  /** The server could not be reached, broke the connection, or did not answer in time. */
  REMOTE_UNREACHABLE: { retry: "passing", scope: "batch" },
  /** The server answered with a status other than success. `details.status` has it. */
  REMOTE_STATUS: { retry: "ifBusy", scope: "batch" },
  /**
   * The server's answer is not one of the Open Inference Protocol, is larger than `maxResponseBytes`, or does not fit
   * the model: a web page, a part of an answer, other names, types or dims, `null` in place of a number.
   */
  REMOTE_INVALID: { retry: "never", scope: "batch" },
  /**
   * The state of a sequence was lost with its worker and could not be computed again. Its later steps reject with
   * this code too. Call `reset`, or go on with a new sequence.
   */
  SEQUENCE_LOST: { retry: "never", scope: "request" },
  /** The model, the batcher, the pipeline or the sequence was disposed. */
  DISPOSED: { retry: "never", scope: "call" },
} as const satisfies Record<string, ErrorTraits>;

/**
 * The code of a `FramebatchError`. Codes are stable, so programs may compare them:
 * - `INVALID_OPTION`: An option has an invalid value.
 * - `INVALID_INPUT`: An input does not fit the model.
 * - `MODEL_STATUS`: The server answered the download with a status other than success.
 * - `MODEL_NETWORK`: The network failed: a DNS lookup, a connection.
 * - `MODEL_OFFLINE`: The browser is offline, and the model is not in the cache.
 * - `MODEL_CORS`: The server does not allow this origin to read the model (CORS).
 * - `MODEL_REDIRECT`: The address redirects in a loop or to a forbidden address.
 * - `MODEL_STALLED`: The server sent no data for `stallTimeoutMs`.
 * - `MODEL_TRUNCATED`: The model file is incomplete.
 * - `MODEL_HTML`: The server sent a web page instead of the model.
 * - `MODEL_TOO_LARGE`: The model is larger than `maxModelBytes`, or than this browser can load.
 * - `MODEL_INVALID`: ONNX Runtime cannot load the bytes as an ONNX model, the model is newer than it, or has an input
 *   or output without an array in JavaScript.
 * - `MODEL_INTEGRITY`: The bytes do not match the digest in `integrity`.
 * - `CACHE_FAILED`: The model cache does not work, and the model was loaded without it.
 * - `WORKER_LOAD_FAILED`: The worker's script could not be loaded, threw while it started, has another version of
 *   framebatch than the page, or did not report that it was ready.
 * - `WORKER_CRASHED`: The worker crashed while calls were pending.
 * - `WORKER_HUNG`: The worker took far longer than a run should take, and was terminated.
 * - `OUT_OF_MEMORY`: There is not enough memory to load the model or to run a single item.
 * - `BATCH_UNSAFE`: The model gives different answers in a batch than for single items.
 * - `PROVIDER_WRONG`: The model answers otherwise on the GPU than on WASM.
 * - `RUNTIME_LOAD_FAILED`: ONNX Runtime's WebAssembly files, or a part of framebatch that loads on demand, could not be
 *   loaded.
 * - `UNSUPPORTED`: None of the requested execution providers works here, the model has an operator that ONNX Runtime
 *   lacks there, or the code does not run in a page or a dedicated worker of a browser.
 * - `DEVICE_LOST`: The GPU device was lost, or with a worker the tensor that a handle stands for.
 * - `INFERENCE_FAILED`: The run of a batch failed, or returned a different number of rows than the batch has.
 * - `HANDLER_FAILED`: `preprocess`, `postprocess` or `choose`, or `load` or `run` of an engine, threw or returned
 *   something that cannot be used.
 * - `OVERLOADED`: The request was rejected at the call or dropped before dispatch, because the queue was full or
 *   `maxLatencyMs` could not be met.
 * - `TIMED_OUT`: The request's `timeoutMs` passed before its result was available.
 * - `SUPERSEDED`: A newer request with the same `key` superseded this one.
 * - `STAGE_FAILED`: A function of a pipeline threw: a stage, a split or a collect.
 * - `REMOTE_BLOCKED`: The browser does not let this page use the server: its address has plain `http:` while the page
 *   is secure, it does not allow this origin (CORS), or it redirects.
 * - `REMOTE_UNREACHABLE`: The server could not be reached, broke the connection, or did not answer in time.
 * - `REMOTE_STATUS`: The server answered with a status other than success.
 * - `REMOTE_INVALID`: The server's answer is not one of the Open Inference Protocol, is larger than `maxResponseBytes`,
 *   or does not fit the model: a web page, a part of an answer, other names, types or dims, `null` in place of a
 *   number.
 * - `SEQUENCE_LOST`: The state of a sequence was lost with its worker and could not be computed again.
 * - `DISPOSED`: The model, the batcher, the pipeline or the sequence was disposed.
 * @example
 * ```ts
 * const outputs = await model.predict(item, { timeoutMs: 200 }).catch((error: unknown) => {
 *   if (error instanceof FramebatchError && error.code === "TIMED_OUT") return null;
 *   throw error;
 * });
 * ```
 */
export type ErrorCode = keyof typeof ERRORS;

export function errorTraits(code: ErrorCode): ErrorTraits {
  return ERRORS[code];
}
