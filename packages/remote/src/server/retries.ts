import { withBackOff } from "@framebatch/batcher/errors/back-off.js";
import type { Timer } from "@framebatch/host/clock.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { statusTraits } from "@framebatch/batcher/errors/http-status.js";
import { after } from "@framebatch/host/host-timer.js";

/** What retries take from their surroundings. */
export interface RetryHost {
  readonly timer: Timer;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** Ends the wait for the next attempt when it aborts. */
  readonly signal: AbortSignal;
  readonly onRetry: () => void;
  /** Whether to repeat a request at all. Asked before and after each delay. @default always */
  readonly mayRetry?: () => boolean;
  /** The error that ends the attempts, asked for after each delay; `null` to go on. @default null */
  readonly refusal?: () => FramebatchError | null;
}

/**
 * Calls `attempt`, and again after a delay if the server is busy or the connection was lost. An inference changes
 * nothing on the server, so it may run twice.
 * @throws the last error, with the number of attempts; `signal.reason` on an abort
 */
export function withRetries<T>(attempt: () => Promise<T>, host: RetryHost): Promise<T> {
  const { random, mayRetry = () => true, onRetry } = host;
  const wait = async (ms: number) => {
    host.signal.throwIfAborted();
    await waitFor(ms, host);
    const refusal = host.refusal?.() ?? null;
    if (refusal !== null) throw refusal;
  };
  let tries = 0;
  const counted = () => {
    if (++tries > 1) onRetry();
    return attempt();
  };
  return withBackOff(counted, { random, mayHelp: (error) => mayRetry() && mayHelp(error), wait });
}

function mayHelp({ code, details }: FramebatchError): boolean {
  if (code === "REMOTE_STATUS") return isBusy(Number(details["status"]));
  // A server that is slow once is slow again, and its callers have waited long.
  return code === "REMOTE_UNREACHABLE" && details["timeoutMs"] === undefined;
}

/** A batch with an unclear status runs in parts instead: one of its items may be the reason. */
function isBusy(status: number): boolean {
  const { blames, mayPass } = statusTraits(status);
  return blames === "server" && mayPass;
}

function waitFor(ms: number, { timer, signal }: RetryHost): Promise<void> {
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
