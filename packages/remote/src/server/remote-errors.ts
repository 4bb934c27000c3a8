import { retryAfterOf } from "@framebatch/batcher/errors/back-off.js";
import type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
import { type ErrorDetails, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { statusTraits } from "@framebatch/batcher/errors/http-status.js";
import { shownAddress } from "@framebatch/batcher/errors/shown-address.js";

/** Maximum length of a server's own text in a message. */
const MAX_QUOTED = 200;

/** The errors of calls to one address. Messages name it without its query, which may hold a secret. */
export class RemoteErrors {
  readonly #shown: string;

  constructor(url: string) {
    this.#shown = shownAddress(url);
  }

  /** The server could not be reached, or broke the connection. */
  unreachable(cause: unknown): FramebatchError {
    const hint =
      "check the network and the server, and that the Content-Security-Policy allows the address (connect-src)";
    return this.#error("REMOTE_UNREACHABLE", `no answer; ${hint}`, {}, cause);
  }

  late(timeoutMs: number): FramebatchError {
    const hint = "try again, or raise runTimeoutMs";
    return this.#error("REMOTE_UNREACHABLE", `nothing for ${timeoutMs} ms; ${hint}`, { timeoutMs });
  }

  cors(cause: unknown): FramebatchError {
    const hint =
      "let it send Access-Control-Allow-Origin, and Access-Control-Allow-Headers with content-type, inference-header-content-length and your own headers";
    return this.#error("REMOTE_BLOCKED", `an answer that this origin may not read; ${hint}`, {}, cause);
  }

  redirect(): FramebatchError {
    const hint = "framebatch follows none, so that your headers reach no other server: give the final address";
    return this.#error("REMOTE_BLOCKED", `a redirect; ${hint}`);
  }

  /** @param said the server's own text about the error */
  status({ status, headers }: Response, said: string): FramebatchError {
    const text = said === "" ? "" : ` (${quoted(said)})`;
    return this.#error("REMOTE_STATUS", `the status ${status}${text}; ${statusHint(status)}`, {
      status,
      ...retryAfterOf(headers.get("retry-after"), Date.now()),
    });
  }

  html(): FramebatchError {
    return this.invalid("a web page", "check the address: it is the part before /v2");
  }

  tooLarge(maxResponseBytes: number): FramebatchError {
    const got = `more than ${maxResponseBytes} bytes`;
    return this.invalid(got, "set a smaller maxBatchSize, or raise maxResponseBytes", { maxResponseBytes });
  }

  /** The answer does not follow the protocol, or does not fit the model. */
  invalid(got: string, fix: string, details: ErrorDetails = {}): FramebatchError {
    return this.#error("REMOTE_INVALID", `${got}; ${fix}`, details);
  }

  /**
   * An answer in JSON has `null` in place of a number: NaN or an infinity. Other items of its batch are not affected.
   */
  unknownNumber(output: string): FramebatchError {
    const fix =
      "let the server send binary tensors (for a page of another origin, expose inference-header-content-length), or say with nullAs which number it is";
    const got = `null in the output ${quoted(output)}, which is NaN or an infinity`;
    return this.#error("REMOTE_INVALID", `${got}; ${fix}`, { output, isNull: true });
  }

  #error(code: ErrorCode, got: string, details: ErrorDetails = {}, cause?: unknown): FramebatchError {
    const message = `expected an answer of the Open Inference Protocol from ${this.#shown}, got ${got}`;
    return new FramebatchError(code, message, { cause, details: { url: this.#shown, ...details } });
  }
}

/** Quotes a text of the server: it may be long, and hold anything. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

function statusHint(status: number): string {
  if (status === 401 || status === 403) return "check headers";
  if (status === 404) return "check url, model and version: url is the part of the address before /v2";
  if (status === 413) return "set a smaller maxBatchSize";
  return statusTraits(status).blames === "items" ? "check the inputs and the server's log" : "check the server";
}
