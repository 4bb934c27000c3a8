import { growingWaitMs, retryAfterMs } from "@framebatch/batcher/errors/back-off.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { statusTraits } from "@framebatch/batcher/errors/http-status.js";

/** Maximum time without an attempt, in milliseconds, unless the server asks for more with `Retry-After`. */
const MAX_WAIT_MS = 30_000;

/** What an outage takes from its surroundings. */
export interface OutageHost {
  readonly now: () => number;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Called when an outage begins, with its error, and with `null` when it is over. */
  readonly onChange: (error: FramebatchError | null) => void;
}

/**
 * Whether a server is worth asking. After a failure it is not asked for a time that grows with each failure. Then one
 * request tries, and its end decides for the others. The time that a server has asked for counts, whichever request it
 * told so, and although it has answered another one meanwhile.
 */
export class Outage {
  readonly #host: OutageHost;
  #failures = 0;
  #retryAtMs = -Infinity;
  /** Until when the server has asked to be left alone, and the error that says so. */
  #pausedUntilMs = -Infinity;
  /** Number of times that it has asked so. */
  #pauses = 0;
  #pausedBy: FramebatchError | null = null;
  /** The request that tries; `null` if none does. */
  #attempt: object | null = null;
  #error: FramebatchError | null = null;
  #answeredAtMs = -Infinity;

  constructor(host: OutageHost) {
    this.#host = host;
  }

  /** Why the server is not asked; `null` while it answers. */
  get error(): FramebatchError | null {
    return this.#error;
  }

  /** When the server last answered, in milliseconds; `-Infinity` if it never has. */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  /** Whether a request may be sent now. */
  get mayTry(): boolean {
    if (this.#isPaused) return false;
    return this.#error === null || (this.#attempt === null && this.#host.now() >= this.#retryAtMs);
  }

  /**
   * The error of a request that is not sent in the time that the server has asked for: it names the rest of that time.
   */
  get refusal(): FramebatchError | null {
    if (!this.#isPaused || this.#pausedBy === null) return null;
    const { code, message, cause, details } = this.#pausedBy;
    const leftMs = this.#pausedUntilMs - this.#host.now();
    return new FramebatchError(code, message, { cause, details: { ...details, retryAfterMs: leftMs } });
  }

  /** Notes a request that is sent. */
  sent(request: object): void {
    if (this.#error !== null) this.#attempt ??= request;
  }

  /** The server has answered a request, so that the outage is over once the time is that the server has asked for. */
  answered(): void {
    this.#answeredAtMs = this.#host.now();
    if (this.#isPaused) this.#attempt = null;
    else this.#over();
  }

  /**
   * Notes that the server is being opened, perhaps because the caller restarts the model. Returns what notes that it is
   * open: then it may be asked at once, unless it has asked for time meanwhile.
   */
  opening(): () => void {
    const pauses = this.#pauses;
    return () => {
      if (this.#pauses === pauses) this.#pausedUntilMs = -Infinity;
      this.answered();
    };
  }

  /**
   * Notes a status: if it meets every request, what the server asks for counts, whatever becomes of the one that was
   * told so.
   */
  told(error: FramebatchError): void {
    if (statusTraits(Number(error.details["status"])).blames === "server") this.#pause(error);
  }

  /**
   * The server has failed. Requests that were sent before the outage began lengthen it only by what the server asks
   * for.
   */
  failed(request: object, error: FramebatchError): void {
    const nowMs = this.#host.now();
    this.#pause(error);
    const wasOut = this.#error !== null;
    if (wasOut && this.#attempt !== request) return;
    this.#failures += 1;
    this.#error = error;
    this.#attempt = null;
    this.#retryAtMs = nowMs + Math.min(MAX_WAIT_MS, growingWaitMs(this.#failures, this.#host.random));
    if (!wasOut) this.#host.onChange(error);
  }

  /** A request has ended in a way that says nothing about the server: another one may try. */
  ended(request: object): void {
    if (this.#attempt === request) this.#attempt = null;
  }

  #pause(error: FramebatchError): void {
    const ms = retryAfterMs(error);
    if (ms > 0) this.#pauses += 1;
    const untilMs = this.#host.now() + ms;
    if (untilMs <= this.#pausedUntilMs) return;
    this.#pausedUntilMs = untilMs;
    this.#pausedBy = error;
  }

  /** Whether the server has asked to be left alone until later. */
  get #isPaused(): boolean {
    return this.#host.now() < this.#pausedUntilMs;
  }

  #over(): void {
    const wasOut = this.#error !== null;
    this.#failures = 0;
    this.#error = null;
    this.#attempt = null;
    if (wasOut) this.#host.onChange(null);
  }
}
