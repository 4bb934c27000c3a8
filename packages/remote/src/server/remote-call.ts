import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Timer } from "@framebatch/host/clock.js";
import { after } from "@framebatch/host/host-timer.js";
import { joinedBytes } from "@framebatch/rows/tensor/joined-bytes.js";
import { Watchdog } from "@framebatch/host/watchdog.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import type { Answer } from "./decode.js";
import { RemoteErrors } from "./remote-errors.js";

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
 * Makes one attempt at a request. Sends no cookies, no referrer and no header that is not in the request, and follows no
 * redirect.
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

/** As `saidIn`; `""` if the text takes long, or never ends. */
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
