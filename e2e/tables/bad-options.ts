import type { Fault } from "./fault.js";

/** A call of `createBatchedModel` that the SDK rejects. The message ends with what to do. */
export interface BadOption extends Omit<Fault, "advice"> {
  readonly options: () => unknown;
  /** @default the URL of a valid model */
  readonly source?: () => unknown;
}

const NONE = () => ({});

/** Invalid options and invalid model sources for `createBatchedModel`. */
export const badOptions: readonly BadOption[] = [
  {
    id: "options-null",
    fault: "`null` instead of the options",
    code: "INVALID_OPTION",
    message: "options: expected an object, got null; leave it out for the defaults",
    options: () => null,
  },
  {
    id: "unknown-option",
    fault: "A misspelt option",
    code: "INVALID_OPTION",
    message: 'maxBatchsize: expected an option that exists, got an unknown one; did you mean "maxBatchSize"?',
    options: () => ({ maxBatchsize: 8 }),
  },
  {
    id: "inherited-option",
    fault: "An option inherited from a prototype",
    code: "INVALID_OPTION",
    message: "batchsize: expected an option that exists, got an unknown one; remove it; there are …",
    options: () => Object.create({ batchsize: 8 }),
  },
  {
    id: "prototype-option",
    fault: "`__proto__` as an option",
    code: "INVALID_OPTION",
    message: "__proto__: expected an option that exists, got an unknown one; remove it; there are …",
    options: () => JSON.parse('{ "__proto__": {} }'),
  },
  {
    id: "batch-size-zero",
    fault: "`maxBatchSize` of 0",
    code: "INVALID_OPTION",
    message: "maxBatchSize: expected a whole number from 1 to 4096, got number 0; leave it out for 256",
    options: () => ({ maxBatchSize: 0 }),
  },
  {
    id: "batch-size-not-a-number",
    fault: "`maxBatchSize` of NaN",
    code: "INVALID_OPTION",
    message: "maxBatchSize: expected a whole number from 1 to 4096, got number NaN; leave it out for 256",
    options: () => ({ maxBatchSize: Number.NaN }),
  },
  {
    id: "batch-size-string",
    fault: "`maxBatchSize` as a string",
    code: "INVALID_OPTION",
    message: 'maxBatchSize: expected a whole number from 1 to 4096, got string "8"; leave it out for 256',
    options: () => ({ maxBatchSize: "8" }),
  },
  {
    id: "sizes-unsorted",
    fault: "`allowedBatchSizes` out of order",
    code: "INVALID_OPTION",
    message: "allowedBatchSizes: expected ascending whole numbers from 1 to 4096, got Array(2); write [1, 4, 16, 64]",
    options: () => ({ allowedBatchSizes: [8, 4] }),
  },
  {
    id: "sizes-contradict",
    fault: "`maxBatchSize` that contradicts `allowedBatchSizes`",
    code: "INVALID_OPTION",
    message:
      "maxBatchSize: expected 8, the last of allowedBatchSizes, got number 16; make the two equal, or leave maxBatchSize out",
    options: () => ({ allowedBatchSizes: [4, 8], maxBatchSize: 16 }),
  },
  {
    id: "unknown-release",
    fault: "A release mode that does not exist",
    code: "INVALID_OPTION",
    message: 'batching.release: expected "frame", "idle", "window", got string "soon"; leave it out for "frame"',
    options: () => ({ batching: { release: "soon" } }),
  },
  {
    id: "delay-negative",
    fault: "A negative `maxQueueDelayMs`",
    code: "INVALID_OPTION",
    message: "maxQueueDelayMs: expected a number of milliseconds from 0, got number -1; leave it out for 10",
    options: () => ({ maxQueueDelayMs: -1 }),
  },
  {
    id: "latency-zero",
    fault: "`maxLatencyMs` of 0",
    code: "INVALID_OPTION",
    message: "maxLatencyMs: expected a number of milliseconds above 0, got number 0; leave it out for none",
    options: () => ({ maxLatencyMs: 0 }),
  },
  {
    id: "queue-infinite",
    fault: "`maxQueueSize` of Infinity",
    code: "INVALID_OPTION",
    message:
      "maxQueueSize: expected a whole number from 1 to 9007199254740991, got number Infinity; leave it out for 100000",
    options: () => ({ maxQueueSize: Infinity }),
  },
  {
    id: "unknown-provider",
    fault: "An execution provider that does not exist",
    code: "INVALID_OPTION",
    message:
      'executionProviders[0]: expected one of "webgpu", "webnn", "wasm", got string "cuda"; write "webgpu" for the GPU or "wasm" for the processor',
    options: () => ({ executionProviders: ["cuda"] }),
  },
  {
    id: "no-provider",
    fault: "An empty list of execution providers",
    code: "INVALID_OPTION",
    message:
      'executionProviders: expected "auto" or a list of "webgpu", "webnn", "wasm", got Array(0); leave it out for "auto"',
    options: () => ({ executionProviders: [] }),
  },
  {
    id: "axis-of-nobody",
    fault: "`batchAxis` for a tensor that does not exist",
    code: "INVALID_OPTION",
    message:
      'batchAxis: expected the name of an input or output ("x", "y"), got "y_hat"; name one of these, or remove it',
    options: () => ({ batchAxis: { y_hat: 0 } }),
  },
  {
    id: "axis-beyond",
    fault: "`batchAxis` greater than the tensor's last axis",
    code: "INVALID_OPTION",
    message: 'batchAxis["x"]: expected an axis of [batch, 64] (0 to 1) or null, got number 2; count axes from 0',
    options: () => ({ batchAxis: { x: 2 } }),
  },
  {
    id: "prototype-axis",
    fault: "`__proto__` in `batchAxis`",
    code: "INVALID_OPTION",
    message:
      'batchAxis: expected the name of an input or output ("x", "y"), got "__proto__"; name one of these, or remove it',
    options: () => ({ batchAxis: JSON.parse('{ "__proto__": 0 }') }),
  },
  {
    id: "padding-of-nobody",
    fault: "`padding` for an input that does not exist",
    code: "INVALID_OPTION",
    message: 'padding: expected an input ("x"), got "ids"; name one of these, or remove it',
    options: () => ({ padding: { ids: {} } }),
  },
  {
    id: "padding-of-fixed",
    fault: "`padding` for an input with a fixed size",
    code: "INVALID_OPTION",
    message:
      'padding["x"]: expected an input with a dynamic size besides the batch, got [batch, 64]; remove this entry',
    options: () => ({ padding: { x: {} } }),
  },
  {
    id: "prototype-padding",
    fault: "`constructor` in `padding`",
    code: "INVALID_OPTION",
    message: 'padding: expected an input ("x"), got "constructor"; name one of these, or remove it',
    options: () => ({ padding: { constructor: {} } }),
  },
  {
    id: "validate-of-nobody",
    fault: "`validate` for an input that does not exist",
    code: "INVALID_OPTION",
    message: 'validate: expected an input ("x"), got "ids"; name one of these, or remove it',
    options: () => ({ validate: { ids: { min: 0 } } }),
  },
  {
    id: "verify-negative",
    fault: "A negative `verify.budgetMs`",
    code: "INVALID_OPTION",
    message:
      "verify.budgetMs: expected a number of milliseconds from 0, got number -1; leave it out for { budgetMs: 250 }",
    options: () => ({ verify: { budgetMs: -1 } }),
  },
  {
    id: "integrity-malformed",
    fault: "An `integrity` that is not a digest",
    code: "INVALID_OPTION",
    message:
      'integrity: expected "sha256-…", "sha384-…" or "sha512-…" in base64, got string "md5-abc"; see: openssl dgst -sha384 -binary FILE | base64',
    options: () => ({ integrity: "md5-abc" }),
  },
  {
    id: "functions-in-session-options",
    fault: "A function in `sessionOptions`",
    code: "INVALID_OPTION",
    message:
      'sessionOptions: expected plain data, got an object with the key "logger"; remove functions and other things that cannot be sent to a worker',
    options: () => ({ sessionOptions: { logger: () => {} } }),
  },
  {
    id: "wasm-paths-without-slash",
    fault: "`wasmPaths` without a trailing slash",
    code: "INVALID_OPTION",
    message:
      'wasmPaths: expected a URL that ends with "/", or an object of URLs by file name, got string "/ort"; write "/ort/"',
    options: () => ({ wasmPaths: "/ort" }),
  },
  {
    id: "worker-url-empty",
    fault: "An empty `workerUrl`",
    code: "INVALID_OPTION",
    message: 'workerUrl: expected a URL, got string ""; give the address of framebatch.worker.js',
    options: () => ({ workerUrl: "" }),
  },
  {
    id: "worker-url-malformed",
    fault: "A `workerUrl` that is not a valid URL",
    code: "INVALID_OPTION",
    message: "workerUrl: expected a URL, got one that cannot be read; check its spelling",
    options: () => ({ workerUrl: "http://[" }),
  },
  {
    id: "no-threads",
    fault: "`numThreads` of 0",
    code: "INVALID_OPTION",
    message: "numThreads: expected a whole number from 1 to 64, got number 0; leave it out for 1",
    options: () => ({ numThreads: 0 }),
  },
  {
    id: "many-instances",
    fault: "`instances` of 99",
    code: "INVALID_OPTION",
    message: "instances: expected a whole number from 1 to 16, got number 99; leave it out for 1",
    options: () => ({ instances: 99 }),
  },
  {
    id: "shared-name",
    fault: "A name for `shared`",
    code: "INVALID_OPTION",
    message: 'shared: expected true or false, got string "digits"; leave it out for false',
    options: () => ({ shared: "digits" }),
  },
  {
    id: "shared-instances",
    fault: "`shared` with `instances`",
    code: "INVALID_OPTION",
    message:
      "instances: expected no value, because shared is set: all tabs have one session, got number 2; leave one of them out",
    options: () => ({ shared: true, instances: 2 }),
  },
  {
    id: "run-timeout-tiny",
    fault: "`runTimeoutMs` of 1",
    code: "INVALID_OPTION",
    message:
      "runTimeoutMs: expected a whole number from 100 to 3600000, got number 1; leave it out for a limit by measured run times",
    options: () => ({ runTimeoutMs: 1 }),
  },
  {
    id: "model-bytes-negative",
    fault: "A negative `maxModelBytes`",
    code: "INVALID_OPTION",
    message:
      "maxModelBytes: expected a whole number from 1 to 9007199254740991, got number -1; leave it out for 2147483648",
    options: () => ({ maxModelBytes: -1 }),
  },
  {
    id: "stray-weights",
    fault: "The path of an external file outside the model's folder",
    code: "INVALID_OPTION",
    message:
      'externalData[0].path: expected a relative path without "..", got string "../secrets"; write it as the model names it: "model.data"',
    options: () => ({ externalData: [{ path: "../secrets", source: "/a" }] }),
  },
  {
    id: "misspelt-integrity",
    fault: "A misspelt `integrity` option of an external file",
    code: "INVALID_OPTION",
    message: 'externalData[0].integrty: expected an option that exists, got an unknown one; did you mean "integrity"?',
    options: () => ({ externalData: [{ path: "a", source: "/a", integrty: "sha256-AAAA" }] }),
  },
  {
    id: "progress-no-function",
    fault: "`onProgress` that is not a function",
    code: "INVALID_OPTION",
    message: 'onProgress: expected a function, got string "log"; write ({ phase, loadedBytes }) => {}',
    options: () => ({ onProgress: "log" }),
  },
  {
    id: "signal-of-nobody",
    fault: "A `signal` that is not an AbortSignal",
    code: "INVALID_OPTION",
    message: "signal: expected an AbortSignal, got an object with no keys; pass controller.signal",
    options: () => ({ signal: {} }),
  },
  {
    id: "source-null",
    fault: "`null` instead of a model",
    code: "INVALID_OPTION",
    message:
      "source: expected a URL, an ArrayBuffer, a typed array or a Blob, got null; give the address of an .onnx file",
    source: () => null,
    options: NONE,
  },
  {
    id: "source-number",
    fault: "A number instead of a model",
    code: "INVALID_OPTION",
    message:
      "source: expected a URL, an ArrayBuffer, a typed array or a Blob, got number 7; give the address of an .onnx file",
    source: () => 7,
    options: NONE,
  },
  {
    id: "source-response",
    fault: "A Response instead of a model",
    code: "INVALID_OPTION",
    message:
      "source: expected a URL, an ArrayBuffer, a typed array or a Blob, got a Response; give the address of an .onnx file",
    source: () => new Response(""),
    options: NONE,
  },
  {
    id: "source-malformed",
    fault: "An address that is not a valid URL",
    code: "INVALID_OPTION",
    message: "source: expected a URL, got one that cannot be read; check its spelling",
    source: () => "http://[",
    options: NONE,
  },
  {
    id: "source-script",
    fault: "A `javascript:` address",
    code: "INVALID_OPTION",
    message:
      "source: expected an address with https:, http:, blob: or data:, got one with javascript:; serve the file, or pass its bytes",
    source: () => "javascript:alert(1)",
    options: NONE,
  },
  {
    id: "source-file",
    fault: "A `file:` address",
    code: "INVALID_OPTION",
    message:
      "source: expected an address with https:, http:, blob: or data:, got one with file:; serve the file, or pass its bytes",
    source: () => "file:///etc/passwd",
    options: NONE,
  },
];
