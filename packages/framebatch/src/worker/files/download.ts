import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Timer } from "@framebatch/host/host-timer.js";
import { DownloadErrors, type SizeLimit } from "./download-errors.js";
import { Watchdog } from "@framebatch/host/watchdog.js";

/**
 * Minimum time between two progress reports, in milliseconds: a message for each chunk would keep both threads busy.
 */
const PROGRESS_INTERVAL_MS = 50;

/**
 * Reports progress. `totalBytes` is `null` if the server does not send a length, or sends that of a compressed body.
 */
export type ReportBytes = (loadedBytes: number, totalBytes: number | null) => void;

/** A response with valid headers, whose body has not been read. */
export interface Download {
  /** Identifies this version of the file; `null` if the server sends neither ETag nor date. */
  readonly validator: string | null;
  /**
   * Reads the body to its end.
   *
   * @throws MODEL_TRUNCATED when the connection breaks or the body is too short
   * @throws MODEL_OFFLINE when the connection breaks because the browser goes offline
   * @throws MODEL_STALLED when nothing arrives for `stallTimeoutMs`
   * @throws MODEL_TOO_LARGE when the body exceeds the limit
   * @throws MODEL_HTML when the body is an HTML page
   * @throws MODEL_INVALID when the body is empty or a Git LFS pointer
   */
  read(report: ReportBytes): Promise<Blob>;
  /** Drops the connection without reading the body. */
  cancel(): void;
}

interface DownloadLimits {
  readonly stallTimeoutMs: number;
  /** Maximum size after decompression: a small response can contain a large model. */
  readonly sizeLimit: SizeLimit;
  readonly timer: Timer;
  /** Ends the transfer. */
  readonly end?: AbortSignal;
}

type TransferLimits = Pick<DownloadLimits, "timer" | "end">;

/** Sends no referrer to any server, and cookies only to the page's own origin. */
const REQUEST: RequestInit = { credentials: "same-origin", referrerPolicy: "no-referrer" };

/**
 * Requests the model once and checks the headers of the response.
 *
 * @param answerTimeoutMs timeout of the response, in milliseconds; default: `stallTimeoutMs`
 * @throws MODEL_NETWORK, MODEL_OFFLINE, MODEL_CORS or MODEL_REDIRECT when there is no response
 * @throws MODEL_STALLED when there is no response in time
 * @throws MODEL_STATUS when the status is not 200
 * @throws MODEL_HTML when the response is an HTML page
 * @throws MODEL_TOO_LARGE when the announced length exceeds the limit
 */
export async function openDownload(
  url: string,
  limits: DownloadLimits,
  answerTimeoutMs = limits.stallTimeoutMs,
): Promise<Download> {
  const errors = new DownloadErrors(url);
  const guard = new StallGuard(limits, (timeoutMs) => errors.stalled(timeoutMs));
  try {
    const response = await guard.watch(fetch(url, { ...REQUEST, signal: guard.signal }), answerTimeoutMs);
    refuseHeaders(response, errors, limits);
    return {
      validator: validatorOf(response),
      read: (report) => new BodyReader(response, errors, guard, limits, report).read(),
      cancel: () => guard.cancel(),
    };
  } catch (error) {
    guard.cancel();
    throw error instanceof FramebatchError ? error : await whyUnanswered(url, error, limits);
  }
}

class BodyReader {
  readonly #response: Response;
  readonly #errors: DownloadErrors;
  readonly #guard: StallGuard;
  readonly #limits: DownloadLimits;
  readonly #report: ReportBytes;
  readonly #announcedBytes: number | null;
  #loadedBytes = 0;
  #reportedBytes = -1;
  #reportedAtMs = -Infinity;

  constructor(
    response: Response,
    errors: DownloadErrors,
    guard: StallGuard,
    limits: DownloadLimits,
    report: ReportBytes,
  ) {
    this.#response = response;
    this.#errors = errors;
    this.#guard = guard;
    this.#limits = limits;
    this.#report = report;
    this.#announcedBytes = plainLength(response);
  }

  async read(): Promise<Blob> {
    try {
      const file = await collectFile(this.#chunks());
      this.#refuseShort();
      await refuseContent(file, this.#errors);
      return file;
    } catch (error) {
      this.#guard.cancel();
      throw error instanceof FramebatchError ? error : this.#broken(error);
    }
  }

  async *#chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    const reader = this.#response.body?.getReader();
    if (reader === undefined) return;
    for (;;) {
      const { done, value } = await this.#guard.watch(reader.read(), this.#limits.stallTimeoutMs);
      if (value !== undefined) {
        this.#loadedBytes += value.byteLength;
        this.#refuseLarge();
        yield value;
      }
      this.#tell(done);
      if (done) return;
    }
  }

  #tell(isEnd: boolean): void {
    const isLast = isEnd || this.#loadedBytes === this.#announcedBytes;
    const now = this.#limits.timer.now();
    const isDue = isLast ? this.#reportedBytes < this.#loadedBytes : now - this.#reportedAtMs >= PROGRESS_INTERVAL_MS;
    if (!isDue) return;
    // A cross-origin response does not reveal compression. More bytes than announced do.
    const isPlain = this.#announcedBytes !== null && this.#loadedBytes <= this.#announcedBytes;
    this.#report(this.#loadedBytes, isPlain ? this.#announcedBytes : null);
    this.#reportedBytes = this.#loadedBytes;
    this.#reportedAtMs = now;
  }

  #refuseLarge(): void {
    const { sizeLimit } = this.#limits;
    if (this.#loadedBytes > sizeLimit.maxBytes) throw this.#errors.tooLarge(this.#loadedBytes, sizeLimit);
  }

  /**
   * Rejects a truncated body. Browsers check the length too, but not behind a service worker. Checks only responses
   * that reveal compression, because a decompressed body has another length.
   */
  #refuseShort(): void {
    const expected = this.#response.type === "basic" ? this.#announcedBytes : null;
    if (expected !== null && this.#loadedBytes < expected) throw this.#errors.truncated(this.#loadedBytes, expected);
  }

  #broken(error: unknown): FramebatchError {
    if (!navigator.onLine) return this.#errors.offline(error);
    return this.#errors.truncated(this.#loadedBytes, this.#announcedBytes, error);
  }
}

function refuseHeaders(response: Response, errors: DownloadErrors, { sizeLimit }: DownloadLimits): void {
  // Other success codes, such as 204 and 206, come without a complete file.
  if (response.status !== 200) throw errors.status(response);
  if (/^\s*text\/html\b/i.test(response.headers.get("content-type") ?? "")) throw errors.html();
  const length = plainLength(response);
  if (length !== null && length > sizeLimit.maxBytes) throw errors.tooLarge(length, sizeLimit);
}

async function refuseContent(blob: Blob, errors: DownloadErrors): Promise<void> {
  if (blob.size === 0) throw errors.empty();
  const start = (await blob.slice(0, 64).text()).trimStart();
  // An ONNX model, a protocol buffer, cannot begin with an HTML tag or a line of text.
  if (/^<(!doctype|html|head|body|\?xml|!--)/i.test(start)) throw errors.html();
  if (start.startsWith("version https://git-lfs")) throw errors.lfsPointer();
}

function validatorOf(response: Response): string | null {
  const etag = response.headers.get("etag");
  const lastModified = response.headers.get("last-modified");
  // The length alone does not identify a version: a retrained model often has the same length.
  if (etag === null && lastModified === null) return null;
  return `${etag ?? ""}|${lastModified ?? ""}|${response.headers.get("content-length") ?? ""}`;
}

/** Returns the length of the body, in bytes; `null` if it is unknown or the body is compressed. */
function plainLength(response: Response): number | null {
  const length = response.headers.get("content-length");
  return length === null || response.headers.has("content-encoding") ? null : Number(length);
}

/**
 * Aborts a transfer when nothing arrives for the timeout. Time in which this thread was blocked does not count, because
 * bytes may have arrived during it.
 */
export class StallGuard {
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #stalled: (timeoutMs: number) => Error;

  /** @throws the reason of `end`, if it has aborted */
  constructor({ timer, end }: TransferLimits, stalled: (timeoutMs: number) => Error) {
    end?.throwIfAborted();
    end?.addEventListener("abort", () => this.cancel());
    this.#timer = timer;
    this.#stalled = stalled;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async watch<T>(step: Promise<T>, timeoutMs: number): Promise<T> {
    const stall = new Watchdog(this.#timer, timeoutMs, () => this.#controller.abort(this.#stalled(timeoutMs)));
    try {
      return await step;
    } finally {
      stall.stop();
    }
  }

  cancel(): void {
    this.#controller.abort();
  }
}

/** Timeout of a probe, in milliseconds. */
const PROBE_TIMEOUT_MS = 2000;

const PROBE: RequestInit = { method: "HEAD", credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" };

/**
 * Returns the error for a request without a response. An unreachable server, a rejection by CORS and a redirect loop
 * all look the same to a page. Probes show whether there is a redirect, and whether the server responds at all to a
 * request whose response the page may not read.
 * @throws the reason of `limits.end`, if it has aborted: who ends a load asks for no reason
 */
async function whyUnanswered(url: string, cause: unknown, limits: TransferLimits): Promise<FramebatchError> {
  const errors = new DownloadErrors(url);
  if (!/^https?:/.test(url)) return errors.network(cause);
  if (!navigator.onLine) return errors.offline(cause);
  const isRedirected = (await probe(url, { redirect: "manual" }, limits))?.type === "opaqueredirect";
  const isForeign = new URL(url).origin !== globalThis.origin;
  if (!isRedirected && !isForeign) return errors.network(cause);
  const answer = await probe(url, { mode: "no-cors" }, limits);
  if (answer !== null) return errors.cors(cause);
  return isRedirected ? errors.redirect(cause) : errors.network(cause);
}

async function probe(url: string, init: RequestInit, limits: TransferLimits): Promise<Response | null> {
  const guard = new StallGuard(limits, () => new Error("no answer"));
  try {
    return await guard.watch(fetch(url, { ...PROBE, ...init, signal: guard.signal }), PROBE_TIMEOUT_MS);
  } catch {
    return null;
  }
}

/**
 * Collects a file that arrives in chunks. The browser takes the chunks from a stream into a process of its own, or to
 * disk, which takes a fifth less time than a Blob of each piece. Digests nothing: on a machine with few cores that
 * would hold up the download.
 * @throws the error of `chunks`
 * @throws MODEL_TOO_LARGE when the browser takes no more: Chromium keeps 2 GiB in a private window
 */
export async function collectFile(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void>): Promise<Blob> {
  const failures: unknown[] = [];
  let bytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      bytes += value.byteLength;
      controller.enqueue(value);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  try {
    return await new Response(new ReadableStream({ pull }, { highWaterMark: 0 })).blob();
  } catch (error) {
    // A response may replace the error of its stream.
    throw failures[0] ?? noRoom(bytes, error);
  }
}

function noRoom(bytes: number, cause: unknown): FramebatchError {
  return new FramebatchError(
    "MODEL_TOO_LARGE",
    `expected room for a file in the browser, got none after ${bytes} bytes; free space on the device, leave the private window, or divide the weights into several files`,
    { cause, details: { bytes } },
  );
}
