import { withBackOff } from "@framebatch/batcher/errors/back-off.js";
import { errorTraits } from "@framebatch/batcher/errors/error-codes.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { statusTraits } from "@framebatch/batcher/errors/http-status.js";
import { after, type Timer } from "@framebatch/host/host-timer.js";

/** Time between two calls of `onWait` during a delay, in milliseconds, so that the download does not seem to stall. */
const SIGN_INTERVAL_MS = 1000;

export interface RetryHost {
  readonly timer: Timer;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** Called when an attempt has failed and will be repeated, and every second until the next attempt. */
  readonly onWait: () => void;
}

/** Calls `attempt` and retries if that may help. @throws the last error, with the number of attempts */
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

async function waitFor(ms: number, { timer, onWait }: RetryHost): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= SIGN_INTERVAL_MS) {
    onWait();
    await new Promise<void>((resolve) => void after(Math.min(leftMs, SIGN_INTERVAL_MS), resolve, timer));
  }
}
