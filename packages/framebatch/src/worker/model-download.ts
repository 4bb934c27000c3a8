import { FramebatchError } from "../core/errors.js";

/** Progress is told at most so often, in milliseconds: a message for every chunk would keep both threads busy. */
const PROGRESS_INTERVAL_MS = 50;

export type ReportBytes = (loadedBytes: number, totalBytes: number | null) => void;

/** An answer whose headers look like a model's, and whose body has not been read. */
export interface Download {
  /** Identifies this version of the file; `null` where the server tells no ETag and no date. */
  readonly validator: string | null;
  /** Reads the body to its end. */
  read(report: ReportBytes): Promise<Blob>;
  /** Drops the connection without reading the body. */
  cancel(): void;
}

/**
 * Asks for the model. The URL may hold secrets, so errors name only its origin and path.
 *
 * @throws MODEL_NETWORK, MODEL_STATUS, or MODEL_INVALID for an HTML page.
 */
export async function openDownload(url: string, stallTimeoutMs: number): Promise<Download> {
  const stall = new StallGuard(url, stallTimeoutMs);
  try {
    const response = await stall.watch(fetch(url, { signal: stall.signal }));
    refuseStatus(response, url);
    refuseHtmlType(response, url);
    return {
      validator: validatorOf(response),
      read: (report) => readBody(response, url, stall, report),
      cancel: () => stall.cancel(),
    };
  } catch (error) {
    stall.cancel();
    throw asNetworkError(error, url);
  }
}

async function readBody(response: Response, url: string, stall: StallGuard, report: ReportBytes): Promise<Blob> {
  try {
    const chunks = await readChunks(response, stall, report);
    const blob = new Blob(chunks);
    refuseShort(blob, response, url);
    await refuseNoModel(blob, url);
    return blob;
  } catch (error) {
    stall.cancel();
    throw asNetworkError(error, url);
  }
}

async function readChunks(response: Response, stall: StallGuard, report: ReportBytes) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  const totalBytes = plainLength(response);
  let loadedBytes = 0;
  let reportedAtMs = -Infinity;
  let reportedBytes = -1;
  for (;;) {
    const { done, value } = reader ? await stall.watch(reader.read()) : { done: true, value: undefined };
    if (value) {
      chunks.push(value);
      loadedBytes += value.byteLength;
    }
    const isLast = done || loadedBytes === totalBytes;
    if (isLast ? reportedBytes < loadedBytes : performance.now() - reportedAtMs >= PROGRESS_INTERVAL_MS) {
      report(loadedBytes, totalBytes);
      reportedAtMs = performance.now();
      reportedBytes = loadedBytes;
    }
    if (done) return chunks;
  }
}

/** Aborts the transfer when nothing has come for so long. */
class StallGuard {
  readonly #controller = new AbortController();
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly signal = this.#controller.signal;

  constructor(url: string, timeoutMs: number) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  async watch<T>(step: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#controller.abort(this.#stalled()), this.#timeoutMs);
    try {
      return await step;
    } finally {
      clearTimeout(timer);
    }
  }

  cancel(): void {
    this.#controller.abort();
  }

  #stalled(): FramebatchError {
    return new FramebatchError(
      "MODEL_NETWORK",
      `expected the model at ${shown(this.#url)}, got nothing for ${this.#timeoutMs} ms; try again, or raise stallTimeoutMs`,
      { details: { url: shown(this.#url), stallTimeoutMs: this.#timeoutMs } },
    );
  }
}

function refuseStatus(response: Response, url: string): void {
  if (response.status === 200) return;
  throw new FramebatchError(
    "MODEL_STATUS",
    `expected a model at ${shown(url)}, got the status ${response.status} ${response.statusText}`.trimEnd() +
      "; check the address",
    { details: { url: shown(url), status: response.status } },
  );
}

function refuseHtmlType(response: Response, url: string): void {
  if (/^\s*text\/html\b/i.test(response.headers.get("content-type") ?? "")) throw htmlError(url);
}

/** The browser checks the length itself, but not behind a service worker, and a decoded body has another length. */
function refuseShort(blob: Blob, response: Response, url: string): void {
  const expected = response.type === "basic" ? plainLength(response) : null;
  if (expected === null || blob.size >= expected) return;
  throw new FramebatchError(
    "MODEL_NETWORK",
    `expected ${expected} bytes from ${shown(url)}, got ${blob.size}; the connection was cut short: try again`,
    { details: { url: shown(url), expectedBytes: expected, gotBytes: blob.size } },
  );
}

async function refuseNoModel(blob: Blob, url: string): Promise<void> {
  if (blob.size === 0) {
    throw new FramebatchError("MODEL_INVALID", `expected a model at ${shown(url)}, got an empty file`);
  }
  const start = (await blob.slice(0, 64).text()).trimStart();
  // A protocol buffer can begin neither with "<" nor with a line of text.
  if (/^<(!doctype|html|head|body|\?xml|!--)/i.test(start)) throw htmlError(url);
  if (start.startsWith("version https://git-lfs")) {
    throw new FramebatchError(
      "MODEL_INVALID",
      `expected a model at ${shown(url)}, got a Git LFS pointer; serve the file that it stands for`,
    );
  }
}

function htmlError(url: string): FramebatchError {
  return new FramebatchError(
    "MODEL_INVALID",
    `expected a model at ${shown(url)}, got an HTML page; the server answers unknown addresses with a page: check the address`,
    { details: { url: shown(url) } },
  );
}

function asNetworkError(error: unknown, url: string): unknown {
  if (error instanceof FramebatchError) return error;
  return new FramebatchError(
    "MODEL_NETWORK",
    `expected the model at ${shown(url)}, got no answer; check the network, and that the server allows this origin (CORS)`,
    { cause: error, details: { url: shown(url) } },
  );
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

function shown(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  return /^https?:$/.test(protocol) ? origin + pathname : `a ${protocol} address`;
}
