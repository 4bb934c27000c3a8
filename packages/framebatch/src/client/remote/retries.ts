import { FramebatchError } from "../../core/errors.js";
import type { Timer } from "../../core/clock.js";
import { after } from "../../time/host-timer.js";

const MAX_TRIES = 3;
/** Maximum delay before the second attempt, in milliseconds. A longer `Retry-After` of the server takes precedence. */
const FIRST_WAIT_MS = 250;
/** Factor by which the delay grows for each further attempt. */
const WAIT_GROWTH = 4;
/** Maximum `Retry-After` of a server, in milliseconds. If it is longer, the request is not retried. */
const MAX_RETRY_AFTER_MS = 10_000;
/** The statuses of a server, or of a gateway in front of it, that is busy or starting. */
const BUSY = [429, 502, 503, 504];

/** What retries take from their surroundings. */
export interface RetryHost {
  readonly timer: Timer;
  /** Returns a number in [0, 1) for jitter, so that pages that failed together do not retry together. */
  readonly random: () => number;
  /** Ends the wait for the next attempt when it aborts. */
  readonly signal: AbortSignal;
  readonly onRetry: () => void;
}

/**
 * Calls `attempt`, and again after a delay if the server is busy or the connection was lost. An inference changes
 * nothing on the server, so it may run twice.
 * @throws the last error, with the number of attempts; `signal.reason` on an abort
 */
export async function withRetries<T>(attempt: () => Promise<T>, host: RetryHost): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof FramebatchError) || tries === MAX_TRIES || !mayPass(error)) throw tried(error, tries);
      await wait(waitMs(error, tries, host.random), host);
      host.onRetry();
    }
  }
}

function mayPass({ code, details }: FramebatchError): boolean {
  if (Number(details["retryAfterMs"] ?? 0) > MAX_RETRY_AFTER_MS) return false;
  if (code === "REMOTE_STATUS") return BUSY.includes(Number(details["status"]));
  // A server that is slow once is slow again, and its callers have waited long.
  return code === "REMOTE_UNREACHABLE" && details["timeoutMs"] === undefined;
}

function waitMs({ details }: FramebatchError, tries: number, random: () => number): number {
  const longest = FIRST_WAIT_MS * WAIT_GROWTH ** (tries - 1);
  return Math.max(Number(details["retryAfterMs"] ?? 0), longest * (0.5 + random() / 2));
}

function wait(ms: number, { timer, signal }: RetryHost): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = after(
      ms,
      () => {
        signal.removeEventListener("abort", abort);
        resolve();
      },
      timer,
    );
    signal.addEventListener("abort", abort, { once: true });
  });
}

function tried(error: unknown, tries: number): unknown {
  if (!(error instanceof FramebatchError) || tries === 1) return error;
  const { code, message, cause, details } = error;
  return new FramebatchError(code, `${message} (tried ${tries} times)`, { cause, details: { ...details, tries } });
}
