/** How framebatch treats an error, and what its caller can do. */
export interface ErrorTraits {
  /**
   * Whether trying again may help:
   * - `never`: not before the call, the model, the server or the browser is another one.
   * - `passing`: yes; framebatch has tried several times.
   * - `byStatus`: for status 408, 429 and 5xx, as `passing`.
   * - `once`: framebatch has tried once more, since a connection that breaks can look like this.
   * - `byCaller`: yes; framebatch has not, since the wait was long already.
   * - `online`: once the browser is online.
   * - `restart`: `model.restart()`; framebatch has tried new workers.
   * - `later`: when there is less to do.
   */
  readonly retry: "never" | "passing" | "byStatus" | "once" | "byCaller" | "online" | "restart" | "later";
  /** What the error is about. After an error about a worker, that worker runs nothing more. */
  readonly scope: "call" | "request" | "batch" | "download" | "model" | "cache" | "provider" | "worker" | "page";
}

/** Every way in which framebatch can fail. Adding an error is one entry: retries, recovery and the documentation derive from it. */
export const ERRORS = {
  /** An option has a value that it cannot have. Permanent. */
  INVALID_OPTION: { retry: "never", scope: "call" },
  /** An input does not fit the model. Permanent for that input; the other requests of its batch are not harmed. */
  INVALID_INPUT: { retry: "never", scope: "call" },
  /** The server answered the request for the model with a status that is not a success. */
  MODEL_STATUS: { retry: "byStatus", scope: "download" },
  /** The model could not be fetched: DNS, a refused or broken connection. Trying again may help. */
  MODEL_NETWORK: { retry: "passing", scope: "download" },
  /** The browser is offline, and the cache does not hold the model. Trying again once it is online helps. */
  MODEL_OFFLINE: { retry: "online", scope: "download" },
  /** The model's server answers, but does not let this origin read the answer (CORS). Permanent until the server is changed. */
  MODEL_CORS: { retry: "once", scope: "download" },
  /** The address redirects in a circle, or to where it may not. */
  MODEL_REDIRECT: { retry: "once", scope: "download" },
  /** The server stopped sending for `stallTimeoutMs`. Trying again may help. */
  MODEL_STALLED: { retry: "byCaller", scope: "download" },
  /** The model's file ended before its end. Trying again may help. */
  MODEL_TRUNCATED: { retry: "passing", scope: "download" },
  /** The server sent a web page in place of the model. */
  MODEL_HTML: { retry: "never", scope: "download" },
  /** The model is larger than `maxModelBytes`. */
  MODEL_TOO_LARGE: { retry: "never", scope: "model" },
  /** The bytes are not an ONNX model that ONNX Runtime can load. Permanent for these bytes. */
  MODEL_INVALID: { retry: "never", scope: "model" },
  /**
   * The bytes do not have the digest that `integrity` asks for; or the model was to be loaded again, and neither the cache nor the
   * server has the bytes that it was first loaded with. Create it anew to take what the server has.
   */
  MODEL_INTEGRITY: { retry: "never", scope: "model" },
  /**
   * The model cache does not work here, and the model was loaded without it. Only ever an event, and the
   * error of `listCachedModels` and `clearModelCache`: no model and no request fails for it.
   */
  CACHE_FAILED: { retry: "never", scope: "cache" },
  /** The worker's script could not be loaded, threw as it started, or never said that it was ready. */
  WORKER_LOAD_FAILED: { retry: "never", scope: "page" },
  /** The worker died while calls were open. */
  WORKER_CRASHED: { retry: "restart", scope: "worker" },
  /** The worker has not answered for far longer than a run takes, and was ended. */
  WORKER_HUNG: { retry: "restart", scope: "worker" },
  /** There is not the memory, on the GPU or in WebAssembly, to load the model or to run a single item. */
  OUT_OF_MEMORY: { retry: "never", scope: "provider" },
  /**
   * The model answers otherwise in a batch than alone. An event where it runs item by item; the error of loading, or of requests, for
   * a model that is fixed at several rows, which cannot. Permanent for this model: export it with a dynamic batch.
   */
  BATCH_UNSAFE: { retry: "never", scope: "batch" },
  /**
   * ONNX Runtime's own WebAssembly files, or the part of framebatch that comes with the first model, could not be loaded; or
   * loading, compiling or warming up said nothing for 60 s (`runTimeoutMs` where that is longer).
   */
  RUNTIME_LOAD_FAILED: { retry: "never", scope: "provider" },
  /** None of the execution providers asked for works here, or this is no page and no dedicated worker of a browser. */
  UNSUPPORTED: { retry: "never", scope: "provider" },
  /** The GPU device was lost. */
  DEVICE_LOST: { retry: "restart", scope: "worker" },
  /** The run of a batch failed, or answered with another number of rows than it was given. */
  INFERENCE_FAILED: { retry: "never", scope: "request" },
  /** Refused at the door or dropped at dispatch: the queue is full, or `maxLatencyMs` cannot be met. Try again later. */
  OVERLOADED: { retry: "later", scope: "request" },
  /** The request's `timeoutMs` ran out. */
  TIMED_OUT: { retry: "later", scope: "request" },
  /** A newer request with the same `key` took its place. */
  SUPERSEDED: { retry: "never", scope: "request" },
  /** The model, or the batcher, was disposed of. */
  DISPOSED: { retry: "never", scope: "call" },
} as const satisfies Record<string, ErrorTraits>;

/** Stable: programs may switch on it. */
export type ErrorCode = keyof typeof ERRORS;

export function errorTraits(code: ErrorCode): ErrorTraits {
  return ERRORS[code];
}

/** Numbers and names that go with an error, for programs: `{ predictedMs: 310, maxLatencyMs: 200 }`. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/** How an error travels between threads: as data, since structured cloning loses its class, code and cause. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: ErrorCode | undefined;
  readonly details: ErrorDetails | undefined;
  readonly cause: ErrorData | undefined;
}

/** The one error class of framebatch. `code` says what happened, `cause` why, `details` with which numbers. */
export class FramebatchError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: ErrorDetails } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "FramebatchError";
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Turns anything thrown into data that structured cloning keeps whole. A cause of any depth goes along. */
export function encodeError(thrown: unknown): ErrorData {
  if (!(thrown instanceof Error)) return encodeError(new Error(String(thrown)));
  const known = thrown instanceof FramebatchError;
  return {
    name: thrown.name,
    message: thrown.message,
    stack: thrown.stack,
    code: known ? thrown.code : undefined,
    details: known ? thrown.details : undefined,
    cause: thrown.cause === undefined ? undefined : encodeError(thrown.cause),
  };
}

/** The inverse of `encodeError`: a `FramebatchError` where there is a code, else an `Error` with the same name. */
export function decodeError(data: ErrorData): Error {
  const cause = data.cause === undefined ? undefined : decodeError(data.cause);
  const error =
    data.code === undefined
      ? Object.assign(new Error(data.message, cause && { cause }), { name: data.name })
      : new FramebatchError(data.code, data.message, { cause, ...(data.details && { details: data.details }) });
  if (data.stack !== undefined) error.stack = data.stack;
  return error;
}
