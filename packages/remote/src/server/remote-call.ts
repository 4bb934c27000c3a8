import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Timer, Cancel } from "@framebatch/host/clock.js";
import { after } from "@framebatch/host/host-timer.js";
import { joinedBytes } from "@framebatch/rows/tensor/joined-bytes.js";
import { Watchdog } from "@framebatch/host/watchdog.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import type { Answer } from "./decode.js";
import { RemoteErrors } from "./remote-errors.js";
import { retryAfterMs, withBackOff } from "@framebatch/batcher/errors/back-off.js";
import { statusTraits } from "@framebatch/batcher/errors/http-status.js";

/** Maximum size of what a server says about an error, in bytes. */
const MAX_ERROR_BYTES = 65_536;
/** Maximum time to read it, in milliseconds: the status is known without it. */
const MAX_ERROR_MS = 1000;

/** A request to a server. */
export interface RemoteRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** The limits of one attempt. */
export interface CallLimits {
  /** Ends the attempt when it aborts. */
  readonly signal: AbortSignal;
  /** Maximum time for the whole answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum size of the body, in bytes. */
  readonly maxResponseBytes: number;
  readonly timer: Timer;
  /** Called as soon as the head of an answer is there that is no redirect: CORS does not forbid to read it. */
  readonly onHead: () => void;
  /** Called with the error of a status as soon as the head of the answer is there: its body may never be read. */
  readonly onStatus: (error: FramebatchError) => void;
}

/**
 * Makes one attempt at a request. Sends no cookies, no referrer and no header that is not in the request, and follows
 * no redirect.
 * @throws `signal.reason` on an abort; a code that starts with REMOTE_
 */
export async function callOnce(request: RemoteRequest, limits: CallLimits): Promise<Answer> {
  const { signal, timeoutMs, timer } = limits;
  signal.throwIfAborted();
  const errors = new RemoteErrors(request.url);
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  signal.addEventListener("abort", abort);
  const watchdog = new Watchdog(timer, timeoutMs, () => stop.abort(errors.late(timeoutMs)));
  try {
    return await answerTo(request, limits, errors, stop.signal);
  } catch (error) {
    signal.throwIfAborted();
    // What the head of an answer has shown stays so, even if no time is left for its body.
    if (error instanceof FramebatchError) throw error;
    throw stop.signal.aborted ? stop.signal.reason : errors.unreachable(error);
  } finally {
    watchdog.stop();
    signal.removeEventListener("abort", abort);
    // Frees the connection if the body was not read to its end.
    stop.abort();
  }
}

async function answerTo(
  { url, method, headers, body }: RemoteRequest,
  { maxResponseBytes, timer, onHead, onStatus }: CallLimits,
  errors: RemoteErrors,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body }),
    signal,
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    redirect: "manual",
  });
  const { status, type } = response;
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) throw errors.redirect();
  onHead();
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (!response.ok) {
    onStatus(errors.status(response, ""));
    throw errors.status(response, isPage ? "a web page" : await saidInTime(response, errors, timer));
  }
  if (isPage) throw errors.html();
  return { headers: response.headers, body: await readBody(response, maxResponseBytes, errors) };
}

/** Reads a body up to a maximum size. @throws REMOTE_INVALID for a larger one */
async function readBody(response: Response, maxBytes: number, errors: RemoteErrors): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  let bytes = 0;
  for (let chunk = await reader?.read(); chunk?.value !== undefined; chunk = await reader?.read()) {
    bytes += chunk.value.byteLength;
    if (bytes > maxBytes) throw errors.tooLarge(maxBytes);
    chunks.push(chunk.value);
  }
  return joinedBytes(chunks);
}

/** Returns what `saidIn` returns; `""` if the text takes long, or never ends. */
function saidInTime(response: Response, errors: RemoteErrors, timer: Timer): Promise<string> {
  return new Promise((resolve) => {
    const cancel = after(MAX_ERROR_MS, () => resolve(""), timer);
    void saidIn(response, errors).then(resolve).finally(cancel);
  });
}

/** Returns what the server says about an error; `""` if it says nothing that can be shown. */
async function saidIn(response: Response, errors: RemoteErrors): Promise<string> {
  try {
    const text = new TextDecoder().decode(await readBody(response, MAX_ERROR_BYTES, errors));
    const json: unknown = JSON.parse(text);
    const said = isOptionsObject(json) ? (json["error"] ?? json["detail"]) : undefined;
    return typeof said === "string" ? said : "";
  } catch {
    return "";
  }
}

/** What retries take from their surroundings. */
interface RetryHost {
  readonly timer: Timer;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** Ends the wait for the next attempt when it aborts. */
  readonly signal: AbortSignal;
  readonly onRetry: () => void;
  /** Whether to repeat a request at all. Asked before and after each delay. @default always */
  readonly mayRetry?: () => boolean;
  /**
   * Calls `callback` whenever `mayRetry` may have changed, until cancelled: a delay ends when it turns false.
   * @default never
   */
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
