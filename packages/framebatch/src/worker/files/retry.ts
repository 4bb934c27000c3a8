import { FramebatchError, errorTraits } from "../../core/errors.js";
import type { Timer } from "../../time/host-timer.js";

const MAX_TRIES = 3;
/** Before the second try, and so many times as long before each further one, in milliseconds. */
const FIRST_WAIT_MS = 250;
const WAIT_GROWTH = 4;
/** A server that wants to be left alone for longer, in milliseconds, is not asked again. */
const LONGEST_RETRY_AFTER_MS = 10_000;
/** A sign of life is given so often while waiting, in milliseconds: nobody else is to think that this has stalled. */
const SIGN_INTERVAL_MS = 1000;

export interface RetryHost {
  readonly timer: Timer;
  /** From 0 up to 1; jitter, so that clients that failed together do not come back together. */
  readonly random: () => number;
  /** Called as a try has failed that will be repeated, and every second until then. */
  readonly onWait: () => void;
}

/** Tries again where that may help. @throws the last error, which tells how often it was tried. */
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

/** Whether the same request may succeed a little later. */
export function isPassing({ code, details }: FramebatchError): boolean {
  const { retry } = errorTraits(code);
  const status = Number(details["status"]);
  if (retry === "byStatus") return status >= 500 || status === 408 || status === 429;
  return retry === "passing" || retry === "byCaller";
}

function mayHelp(error: FramebatchError, tries: number): boolean {
  const { retry } = errorTraits(error.code);
  if (retry === "once") return tries === 1;
  if (retry === "byCaller") return false;
  return tries < MAX_TRIES && isPassing(error) && Number(error.details["retryAfterMs"] ?? 0) <= LONGEST_RETRY_AFTER_MS;
}

function waitMs({ details }: FramebatchError, tries: number, random: () => number): number {
  const longest = FIRST_WAIT_MS * WAIT_GROWTH ** (tries - 1);
  return Math.max(Number(details["retryAfterMs"] ?? 0), longest * (0.5 + random() / 2));
}

async function waitFor(ms: number, { timer, onWait }: RetryHost): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= SIGN_INTERVAL_MS) {
    onWait();
    await new Promise<void>((resolve) => {
      timer.schedule(timer.now() + Math.min(leftMs, SIGN_INTERVAL_MS), resolve);
    });
  }
}

function tried(error: unknown, tries: number): unknown {
  if (!(error instanceof FramebatchError) || tries === 1) return error;
  const { code, message, cause, details } = error;
  return new FramebatchError(code, `${message} (tried ${tries} times)`, { cause, details: { ...details, tries } });
}
