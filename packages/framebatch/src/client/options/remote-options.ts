import { BATCHER_OPTION_NAMES } from "./batcher-option-names.js";
import { checkPadding, checkValidate } from "./model-options.js";
import { check, checkNames, integerFrom, isBoolean, isOptionsObject, type OptionCheck } from "./option-checks.js";
import { optionError } from "../../core/tensor/option-errors.js";
import type { BatcherOptions, ModelOptions } from "./options.js";

/** How to call a model on a server. */
export interface RemoteOptions {
  /**
   * Name of the model on the server: a string of at least one character, but not "." or "..".
   * @example await createRemoteModel("https://inference.example", { model: "digits" });
   */
  readonly model: string;
  /**
   * Version of the model on the server: a string of at least one character, but not "." or "..".
   * @default the server's choice
   * @example await createRemoteModel(url, { model: "digits", version: "3" });
   */
  readonly version?: string;
  /**
   * Headers of every request, such as a token, copied at the call. framebatch adds those of the protocol
   * (`content-type`, `inference-header-content-length`) and no other, and never sends cookies. A page that anyone can
   * open can keep no secret in them.
   * @default none
   * @example await createRemoteModel(url, { model: "digits", headers: { authorization: `Bearer ${token}` } });
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether tensors are sent and received as binary data, which is several times as fast as JSON. `true` is for servers
   * that take it without saying so, as KServe's do.
   * @default whether the server names the extension `binary_tensor_data`
   * @example await createRemoteModel(url, { model: "digits", binary: true });
   */
  readonly binary?: boolean;
  /**
   * Maximum size of an answer, in bytes: an integer from 1. A larger one rejects its batch with `REMOTE_INVALID`.
   * @default 67108864
   * @example await createRemoteModel(url, { model: "digits", maxResponseBytes: 1e6 });
   */
  readonly maxResponseBytes?: number;
}

/** Options of `createRemoteModel`: how to call the server, and how to batch. */
export interface RemoteModelOptions
  extends RemoteOptions, BatcherOptions, Pick<ModelOptions, "batchAxis" | "padding" | "validate" | "signal"> {
  /**
   * Maximum time for the answer to one batch, in milliseconds: an integer from 100 to 3,600,000. The batch then rejects
   * with `REMOTE_UNREACHABLE`. To limit the time of one request, set its `timeoutMs`.
   * @default 20 times the predicted time, at least 10000; 60000 while no time can be predicted
   * @example await createRemoteModel(url, { model: "digits", runTimeoutMs: 5000 });
   */
  readonly runTimeoutMs?: number;
  /**
   * Number of batches that the server answers in parallel: an integer from 1 to 16. Up to twice as many are sent.
   * @default 1
   * @example await createRemoteModel(url, { model: "digits", instances: 4 });
   */
  readonly instances?: number;
}

/** The checks of `RemoteOptions`. */
export const REMOTE_CHECKS: Readonly<Record<keyof RemoteOptions, OptionCheck>> = {
  model: check(isName, "the name of a model", 'write { model: "digits" }, as the server names it'),
  version: check(isName, "the name of a version", "leave it out for the server's choice"),
  headers: checkHeaders,
  binary: check(isBoolean, "true or false", "leave it out to ask the server"),
  maxResponseBytes: integerFrom(1, Number.MAX_SAFE_INTEGER, "leave it out for 67108864"),
};

type OwnOptions = Omit<RemoteModelOptions, keyof BatcherOptions>;

const CHECKS: Readonly<Record<keyof OwnOptions, OptionCheck>> = {
  ...REMOTE_CHECKS,
  batchAxis: check(isOptionsObject, "an object of axes by tensor name", 'write { "image": 0 }'),
  padding: checkPadding,
  validate: checkValidate,
  runTimeoutMs: integerFrom(100, 3_600_000, "leave it out for a limit by measured run times"),
  instances: integerFrom(1, 16, "leave it out for 1"),
  signal: check((value) => value instanceof AbortSignal, "an AbortSignal", "pass controller.signal"),
};

const NAMES = [...Object.keys(CHECKS), ...BATCHER_OPTION_NAMES];

/**
 * Checks the options of a remote model. `resolveBatcherOptions` checks the values of the batcher's options.
 * @throws INVALID_OPTION when a value is not allowed, or a name does not exist.
 */
export function checkRemoteModelOptions(options: unknown): void {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, 'write { model: "digits" }');
  checkNames(options, NAMES);
  CHECKS.model(options["model"], "model");
  for (const [name, checkOption] of Object.entries(CHECKS)) {
    if (options[name] !== undefined) checkOption(options[name], name);
  }
}

/**
 * Returns true for a name that can be one step of an address. "." and ".." name other steps there, however they are
 * encoded, and half of a surrogate pair cannot be encoded.
 */
function isName(value: unknown): boolean {
  return typeof value === "string" && !/^\.{0,2}$|\p{Surrogate}/u.test(value);
}

function checkHeaders(value: unknown, name: string): void {
  const fix = "write { authorization: `Bearer ${token}` }";
  if (!isOptionsObject(value)) throw optionError(name, "an object of strings by header name", value, fix);
  for (const [header, text] of Object.entries(value)) {
    // The message must not show the value, which may be a secret.
    if (typeof text !== "string") throw optionError(`${name}["${header}"]`, "a string", typeof text, fix);
    if (!isHeader(header, text)) {
      throw optionError(
        `${name}["${header}"]`,
        "a header that HTTP allows",
        "another",
        "remove line breaks and spaces",
      );
    }
  }
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}
