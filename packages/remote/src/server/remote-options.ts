import {
  check,
  integerFrom,
  isBoolean,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";

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
   * The number that a `null` in an answer in JSON stands for: `NaN`, `-Infinity` or `Infinity`. Servers write NaN and
   * both infinities so. By default, a server that has them is asked for binary tensors from the first `null` on; where
   * it has none, or `binary` is `false`, an item with a `null` in its answer rejects with `REMOTE_INVALID`.
   * @default none
   * @example await createRemoteModel(url, { model: "digits", nullAs: -Infinity });
   */
  readonly nullAs?: number;
  /**
   * Maximum size of an answer, in bytes: an integer from 1. A larger one rejects its batch with `REMOTE_INVALID`.
   * @default 67108864
   * @example await createRemoteModel(url, { model: "digits", maxResponseBytes: 1e6 });
   */
  readonly maxResponseBytes?: number;
  /**
   * Whether the server may join requests into one run without a look at their sizes, as MLServer's adaptive batching
   * does. With `true`, only batches of one size are in flight at a time, and an item that fails is asked for again
   * alone unless it is proved to be bad. `false` is faster where sizes alternate, for servers that run each request on
   * its own or join only those of one size, as Triton does.
   * @default true
   * @example await createRemoteModel(url, { model: "digits", instances: 4, joins: false });
   */
  readonly joins?: boolean;
}

/** The checks of `RemoteOptions`. */
export const REMOTE_CHECKS: Readonly<Record<keyof RemoteOptions, OptionCheck>> = {
  model: check(isName, "the name of a model", 'write { model: "digits" }, as the server names it'),
  version: check(isName, "the name of a version", "leave it out for the server's choice"),
  headers: checkHeaders,
  binary: check(isBoolean, "true or false", "leave it out to ask the server"),
  nullAs: check(isNotFinite, "NaN, -Infinity or Infinity", "leave it out to reject such answers"),
  joins: check(isBoolean, "true or false", "leave it out if the server may join requests"),
  maxResponseBytes: integerFrom(1, Number.MAX_SAFE_INTEGER, "leave it out for 67108864"),
};

/**
 * Returns true for a name that can be one step of an address. "." and ".." name other steps there, however they are
 * encoded, and half of a surrogate pair cannot be encoded.
 */
function isName(value: unknown): boolean {
  return typeof value === "string" && !/^\.{0,2}$|\p{Surrogate}/u.test(value);
}

function isNotFinite(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
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
