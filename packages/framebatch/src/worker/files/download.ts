import { FramebatchError } from "../../core/errors.js";
import type { Timer } from "../../time/host-timer.js";
import { DownloadErrors } from "./download-errors.js";
import { whyUnanswered } from "./download-probe.js";
import { StallGuard } from "./stall-guard.js";

/** Progress is told at most so often, in milliseconds: a message for every chunk would keep both threads busy. */
const PROGRESS_INTERVAL_MS = 50;

/** `totalBytes` is `null` where the server does not tell, or tells the length of something compressed. */
export type ReportBytes = (loadedBytes: number, totalBytes: number | null) => void;

/** An answer whose headers look like a model's, and whose body has not been read. */
export interface Download {
  /** Identifies this version of the file; `null` where the server tells no ETag and no date. */
  readonly validator: string | null;
  /** Reads the body to its end. @throws MODEL_TRUNCATED, MODEL_STALLED, MODEL_TOO_LARGE, MODEL_HTML, MODEL_INVALID. */
  read(report: ReportBytes): Promise<Blob>;
  /** Drops the connection without reading the body. */
  cancel(): void;
}

export interface DownloadLimits {
  readonly stallTimeoutMs: number;
  /** On the bytes as they are once decompressed, since a small answer can hold a large model. */
  readonly maxModelBytes: number;
  readonly timer: Timer;
}

/**
 * What is sent along: nobody is told the page's address, and nobody but our own origin the user's cookies.
 */
const REQUEST: RequestInit = { credentials: "same-origin", referrerPolicy: "no-referrer" };

/**
 * Asks for the model, once.
 *
 * @throws MODEL_NETWORK, MODEL_OFFLINE, MODEL_CORS, MODEL_REDIRECT, MODEL_STALLED, MODEL_STATUS, MODEL_HTML, MODEL_TOO_LARGE.
 */
export async function openDownload(
  url: string,
  limits: DownloadLimits,
  answerTimeoutMs = limits.stallTimeoutMs,
): Promise<Download> {
  const errors = new DownloadErrors(url);
  const guard = new StallGuard(limits.timer, (timeoutMs) => errors.stalled(timeoutMs));
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
    throw error instanceof FramebatchError ? error : await whyUnanswered(url, error, limits.timer);
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
      const blob = new Blob(await this.#readChunks());
      this.#refuseShort();
      await refuseContent(blob, this.#errors);
      return blob;
    } catch (error) {
      this.#guard.cancel();
      throw error instanceof FramebatchError ? error : this.#broken(error);
    }
  }

  async #readChunks(): Promise<Uint8Array<ArrayBuffer>[]> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    const reader = this.#response.body?.getReader();
    if (reader === undefined) return chunks;
    for (;;) {
      const { done, value } = await this.#guard.watch(reader.read(), this.#limits.stallTimeoutMs);
      if (value !== undefined) {
        chunks.push(value);
        this.#loadedBytes += value.byteLength;
        this.#refuseLarge();
      }
      this.#tell(done);
      if (done) return chunks;
    }
  }

  #tell(isEnd: boolean): void {
    const isLast = isEnd || this.#loadedBytes === this.#announcedBytes;
    const now = this.#limits.timer.now();
    const isDue = isLast ? this.#reportedBytes < this.#loadedBytes : now - this.#reportedAtMs >= PROGRESS_INTERVAL_MS;
    if (!isDue) return;
    // Another origin's answer does not say that it is compressed; more bytes than it announced do.
    const isPlain = this.#announcedBytes !== null && this.#loadedBytes <= this.#announcedBytes;
    this.#report(this.#loadedBytes, isPlain ? this.#announcedBytes : null);
    this.#reportedBytes = this.#loadedBytes;
    this.#reportedAtMs = now;
  }

  #refuseLarge(): void {
    const { maxModelBytes } = this.#limits;
    if (this.#loadedBytes > maxModelBytes) throw this.#errors.tooLarge(this.#loadedBytes, maxModelBytes);
  }

  /** The browser checks the length itself, but not behind a service worker, and a decoded body has another length. */
  #refuseShort(): void {
    const expected = this.#response.type === "basic" ? this.#announcedBytes : null;
    if (expected !== null && this.#loadedBytes < expected) throw this.#errors.truncated(this.#loadedBytes, expected);
  }

  #broken(error: unknown): FramebatchError {
    if (!navigator.onLine) return this.#errors.offline(error);
    return this.#errors.truncated(this.#loadedBytes, this.#announcedBytes, error);
  }
}

function refuseHeaders(response: Response, errors: DownloadErrors, { maxModelBytes }: DownloadLimits): void {
  // Other successes, such as 204 and 206, bring no whole file.
  if (response.status !== 200) throw errors.status(response);
  if (/^\s*text\/html\b/i.test(response.headers.get("content-type") ?? "")) throw errors.html();
  const length = plainLength(response);
  if (length !== null && length > maxModelBytes) throw errors.tooLarge(length, maxModelBytes);
}

async function refuseContent(blob: Blob, errors: DownloadErrors): Promise<void> {
  if (blob.size === 0) throw errors.empty();
  const start = (await blob.slice(0, 64).text()).trimStart();
  // A protocol buffer can begin neither with "<" nor with a line of text.
  if (/^<(!doctype|html|head|body|\?xml|!--)/i.test(start)) throw errors.html();
  if (start.startsWith("version https://git-lfs")) throw errors.lfsPointer();
}

function validatorOf(response: Response): string | null {
  const etag = response.headers.get("etag");
  const lastModified = response.headers.get("last-modified");
  // The length alone would take a model that was trained again for the old one.
  if (etag === null && lastModified === null) return null;
  return `${etag ?? ""}|${lastModified ?? ""}|${response.headers.get("content-length") ?? ""}`;
}

/** The length of the body as it will be read; `null` where it is unknown, or the length of something compressed. */
function plainLength(response: Response): number | null {
  const length = response.headers.get("content-length");
  return length === null || response.headers.has("content-encoding") ? null : Number(length);
}
