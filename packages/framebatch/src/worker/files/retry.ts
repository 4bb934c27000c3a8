import { FramebatchError, errorTraits } from "../../core/errors.js";
import { after, type Timer } from "../../time/host-timer.js";

const MAX_TRIES = 3;
/** Maximum delay before the second attempt, in milliseconds. A longer `Retry-After` of the server takes precedence. */
const FIRST_WAIT_MS = 250;
/** Factor by which the delay grows for each further attempt. */
const WAIT_GROWTH = 4;
/** Maximum `Retry-After` of a server, in milliseconds. If it is longer, the request is not retried. */
const MAX_RETRY_AFTER_MS = 10_000;
/** Time between two calls of `onWait` during a delay, in milliseconds, so that the download does not seem to stall. */
const SIGN_INTERVAL_MS = 1000;

export interface RetryHost {
  readonly timer: Timer;
  /** Returns a number in [0, 1) for jitter, so that clients that failed together do not retry together. */
  readonly random: () => number;
  /** Called when an attempt has failed and will be repeated, and every second until the next attempt. */
  readonly onWait: () => void;
}

/** Calls `attempt` and retries if that may help. @throws the last error, with the number of attempts */
export async function withRetries<T>(attempt: () => Promise<T>, host: RetryHost): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof FramebatchError) || !mayHelp(error, tries)) throw tried(error, tries);
      await waitFor(waitMs(error, tries, host.random), host);
    }
  }
}

/** Returns true if the same request may succeed later. */
export function isTransient({ code, details }: FramebatchError): boolean {
  const { retry } = errorTraits(code);
  const status = Number(details["status"]);
  if (retry === "byStatus") return status >= 500 || status === 408 || status === 429;
  return retry === "passing" || retry === "byCaller";
}

function mayHelp(error: FramebatchError, tries: number): boolean {
  const { retry } = errorTraits(error.code);
  if (retry === "once") return tries === 1;
  if (retry === "byCaller") return false;
  return tries < MAX_TRIES && isTransient(error) && Number(error.details["retryAfterMs"] ?? 0) <= MAX_RETRY_AFTER_MS;
}

function waitMs({ details }: FramebatchError, tries: number, random: () => number): number {
  const longest = FIRST_WAIT_MS * WAIT_GROWTH ** (tries - 1);
  return Math.max(Number(details["retryAfterMs"] ?? 0), longest * (0.5 + random() / 2));
}

async function waitFor(ms: number, { timer, onWait }: RetryHost): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= SIGN_INTERVAL_MS) {
    onWait();
    await new Promise<void>((resolve) => void after(Math.min(leftMs, SIGN_INTERVAL_MS), resolve, timer));
  }
}

function tried(error: unknown, tries: number): unknown {
  if (!(error instanceof FramebatchError) || tries === 1) return error;
  const { code, message, cause, details } = error;
  return new FramebatchError(code, `${message} (tried ${tries} times)`, { cause, details: { ...details, tries } });
}
