import { retryAfterMs, withBackOff } from "@framebatch/batcher/errors/back-off.js";
import type { Cancel, Timer } from "@framebatch/host/clock.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
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
  /** Calls `callback` whenever `mayRetry` may have changed, until cancelled: a delay ends when it turns false. @default never */
  readonly onChange?: (callback: () => void) => Cancel;
  /** The error that ends the attempts, asked for after each delay; `null` to go on. @default null */
  readonly refusal?: () => FramebatchError | null;
}

/**
 * Calls `attempt`, and again after a delay if the server is busy or the connection was lost. An inference changes
 * nothing on the server, so it may run twice.
 * @throws the last error, with the number of attempts; `signal.reason` on an abort
 */
export async function withRetries<T>(attempt: () => Promise<T>, host: RetryHost): Promise<T> {
  const { timer, random, mayRetry = () => true, onRetry } = host;
  /** `waitedMs` is the time since the last attempt, if that is the last one of all. */
  let [tries, waitedMs] = [0, 0];
  const counted = () => {
    if (++tries > 1) onRetry();
    waitedMs = 0;
    return attempt();
  };
  const wait = async (ms: number) => {
    host.signal.throwIfAborted();
    const startMs = timer.now();
    await waitFor(ms, host);
    const refusal = host.refusal?.() ?? null;
    if (refusal !== null) throw refusal;
    waitedMs = timer.now() - startMs;
  };
  try {
    return await withBackOff(counted, { random, mayHelp: (error) => mayRetry() && mayHelp(error), wait });
  } catch (error) {
    throw afterWait(error, waitedMs);
  }
}

/** Returns an error of a server that has asked for time, some of which has passed in a wait: it names the rest. */
function afterWait(error: unknown, waitedMs: number): unknown {
  if (waitedMs === 0 || !(error instanceof FramebatchError) || retryAfterMs(error) === 0) return error;
  const { code, message, cause, details } = error;
  const leftMs = Math.max(0, retryAfterMs(error) - waitedMs);
  return new FramebatchError(code, message, { cause, details: { ...details, retryAfterMs: leftMs } });
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

function waitFor(ms: number, { timer, signal, mayRetry, onChange }: RetryHost): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel();
      ignoreChanges?.();
      signal.removeEventListener("abort", abort);
      resolve();
    };
    const abort = () => {
      reject(signal.reason);
      end();
    };
    const cancel = after(ms, end, timer);
    const ignoreChanges = onChange?.(() => {
      if (mayRetry?.() === false) end();
    });
    signal.addEventListener("abort", abort);
  });
}
