import { type ErrorDetails, FramebatchError } from "./errors.js";

const MAX_TRIES = 3;
/** Maximum delay before the second attempt, in milliseconds. A longer `Retry-After` of the server takes precedence. */
const FIRST_WAIT_MS = 250;
/** Factor by which the delay grows for each further attempt. */
const WAIT_GROWTH = 4;
/** Maximum `Retry-After` of a server, in milliseconds. If it is longer, the request is not retried. */
const MAX_RETRY_AFTER_MS = 10_000;

/** What attempts with growing delays take from their surroundings. */
export interface BackOff {
  /** Returns a number in [0, 1) for jitter, so that clients that failed together do not retry together. */
  readonly random: () => number;
  /**
   * Whether the same request may succeed later. Asked before and after each delay, in which that may have changed.
   * @param tries the number of attempts so far, from 1
   */
  readonly mayHelp: (error: FramebatchError, tries: number) => boolean;
  /** Resolves after a delay. A rejection ends the attempts. */
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Calls `attempt`, and again after a growing delay if that may help, three times at most.
 * @throws the last error, with the number of attempts; what `wait` throws
 */
export async function withBackOff<T>(attempt: () => Promise<T>, { random, mayHelp, wait }: BackOff): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof FramebatchError)) throw error;
      const isLast = tries === MAX_TRIES || retryAfterMs(error) > MAX_RETRY_AFTER_MS;
      if (isLast || !mayHelp(error, tries)) throw withTries(error, tries);
      await wait(Math.max(retryAfterMs(error), growingWaitMs(tries, random)));
      if (!mayHelp(error, tries)) throw withTries(error, tries);
    }
  }
}

/**
 * Returns the detail of an error for a `Retry-After` header, in seconds or a date: milliseconds, or `null` if the
 * header is not valid. Returns no detail if there is no header.
 * @param nowMs the current date, in milliseconds since 1970
 */
export function retryAfterOf(header: string | null, nowMs: number): ErrorDetails {
  if (header === null) return {};
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return { retryAfterMs: Number.isFinite(ms) ? Math.max(0, ms) : null };
}

/**
 * Returns a random time to wait that grows with each attempt, in milliseconds.
 * @param tries the number of attempts so far, from 1
 */
export function growingWaitMs(tries: number, random: () => number): number {
  return FIRST_WAIT_MS * WAIT_GROWTH ** (tries - 1) * (0.5 + random() / 2);
}

/** Returns how long a server has asked to be left alone, in milliseconds: its `Retry-After`, or 0. */
export function retryAfterMs({ details }: FramebatchError): number {
  return Number(details["retryAfterMs"] ?? 0);
}

function withTries(error: FramebatchError, tries: number): FramebatchError {
  if (tries === 1) return error;
  const { code, message, cause, details } = error;
  return new FramebatchError(code, `${message} (tried ${tries} times)`, { cause, details: { ...details, tries } });
}
