import { retryAfterOf, withBackOff } from "@framebatch/batcher/errors/back-off.js";
import { type ErrorCode, errorTraits } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError, type ErrorDetails } from "@framebatch/batcher/errors/errors.js";
import { shownAddress } from "@framebatch/batcher/errors/shown-address.js";
import { statusTraits } from "@framebatch/batcher/errors/http-status.js";
import { after, type Timer } from "@framebatch/host/host-timer.js";

/** How large a file may be. */
export interface SizeLimit {
  readonly maxBytes: number;
  /** What sets the limit, and the fix. */
  readonly why: string;
}

/** The errors of one download. */
export class DownloadErrors {
  readonly #shown: string;

  constructor(url: string) {
    this.#shown = shownAddress(url);
  }

  status(response: Response): FramebatchError {
    const text = `${response.status} ${response.statusText}`.trimEnd();
    return this.#error("MODEL_STATUS", `the status ${text}; check the address`, {
      status: response.status,
      ...retryAfterOf(response.headers.get("retry-after"), Date.now()),
    });
  }

  network(cause: unknown): FramebatchError {
    const hint =
      "check the network and the server, and that the Content-Security-Policy allows the address (connect-src)";
    return this.#error("MODEL_NETWORK", `no answer; ${hint}`, {}, cause);
  }

  offline(cause: unknown): FramebatchError {
    const hint = "try again once it is online: a model that has been loaded before is kept for this";
    return this.#error("MODEL_OFFLINE", `a browser that is offline; ${hint}`, {}, cause);
  }

  cors(cause: unknown): FramebatchError {
    const hint = "let the server send Access-Control-Allow-Origin, or serve the model from the page's own origin";
    return this.#error("MODEL_CORS", `an answer that this origin may not read; ${hint}`, {}, cause);
  }

  redirect(cause: unknown): FramebatchError {
    const where = "in a circle, to a kind of address that is refused, or to a server that does not answer";
    return this.#error("MODEL_REDIRECT", `a redirect that leads nowhere: ${where}; check the server`, {}, cause);
  }

  stalled(stallTimeoutMs: number): FramebatchError {
    const hint = "try again, or raise stallTimeoutMs";
    return this.#error("MODEL_STALLED", `nothing for ${stallTimeoutMs} ms; ${hint}`, { stallTimeoutMs });
  }

  truncated(gotBytes: number, expectedBytes: number | null, cause?: unknown): FramebatchError {
    const of = expectedBytes === null ? "" : ` of ${expectedBytes}`;
    const details = { gotBytes, expectedBytes };
    return this.#error(
      "MODEL_TRUNCATED",
      `${gotBytes} bytes${of} and then a broken connection; try again`,
      details,
      cause,
    );
  }

  html(): FramebatchError {
    const hint = "the server answers unknown addresses with a page: check the address";
    return this.#error("MODEL_HTML", `an HTML page; ${hint}`);
  }

  empty(): FramebatchError {
    return this.#error("MODEL_INVALID", "an empty file; check how it was deployed");
  }

  lfsPointer(): FramebatchError {
    return this.#error("MODEL_INVALID", "a Git LFS pointer; serve the file that it stands for");
  }

  /**
   * @param expected digest of the bytes with which the model was first loaded
   * @param got digest of the downloaded bytes
   */
  changed(expected: string, got: string | null): FramebatchError {
    return this.#error(
      "MODEL_INTEGRITY",
      `another file (sha256-${got}) than the model was first loaded with (sha256-${expected}), which the cache does not hold; ` +
        "create the model anew to take the new version",
      { expected: `sha256-${expected}`, got: `sha256-${got}` },
    );
  }

  tooLarge(bytes: number, { maxBytes, why }: SizeLimit): FramebatchError {
    return this.#error("MODEL_TOO_LARGE", `at least ${bytes} bytes; ${why}`, { bytes, maxModelBytes: maxBytes });
  }

  #error(code: ErrorCode, got: string, details: ErrorDetails = {}, cause?: unknown): FramebatchError {
    const message = `expected a model at ${this.#shown}, got ${got}`;
    return new FramebatchError(code, message, { cause, details: { url: this.#shown, ...details } });
  }
}

/** Time between two calls of `onWait` during a delay, in milliseconds, so that the download does not seem to stall. */
const SIGN_INTERVAL_MS = 1000;

interface RetryHost {
  readonly timer: Timer;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** Called when an attempt has failed and will be repeated, and every second until the next attempt. */
  readonly onWait: () => void;
  /** Ends the wait for the next attempt, within `SIGN_INTERVAL_MS`. */
  readonly end?: AbortSignal;
}

/**
 * Calls `attempt` and retries if that may help.
 * @throws the last error, with the number of attempts; the reason of `host.end`
 */
export function withRetries<T>(attempt: () => Promise<T>, host: RetryHost): Promise<T> {
  return withBackOff(attempt, { random: host.random, mayHelp, wait: (ms) => waitFor(ms, host) });
}

/** Returns true if the same request may succeed later. */
export function isTransient({ code, details }: FramebatchError): boolean {
  const { retry } = errorTraits(code);
  if (retry === "byStatus") return statusTraits(Number(details["status"])).mayPass;
  return retry === "passing" || retry === "byCaller";
}

function mayHelp(error: FramebatchError, tries: number): boolean {
  const { retry } = errorTraits(error.code);
  if (retry === "once") return tries === 1;
  return retry !== "byCaller" && isTransient(error);
}

async function waitFor(ms: number, { timer, onWait, end }: RetryHost): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= SIGN_INTERVAL_MS) {
    end?.throwIfAborted();
    onWait();
    await new Promise<void>((resolve) => void after(Math.min(leftMs, SIGN_INTERVAL_MS), resolve, timer));
  }
}
