import { errorTraits } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { Deadline } from "@framebatch/host/deadline.js";
import type { FileOrigin, ModelLocation } from "../../transport/protocol.js";
import { digestOf, FileDigest, OF_PIECES, pieceDigestOf } from "../../store/digest.js";
import type { Timer } from "@framebatch/host/host-timer.js";
import type { Manifest, ModelCache } from "../../store/model-cache.js";
import { type Download, openDownload } from "./download.js";
import { DownloadErrors, type SizeLimit, isTransient, withRetries } from "./download-errors.js";
import { type DownloadLock, NO_TURN, type Turn } from "./download-lock.js";
import type { FileProgress } from "./progress-sum.js";

/** How long one load waits in total for a cache that does not respond, in milliseconds. */
const CACHE_TIMEOUT_MS = 2000;
/** Time limit for storing a model, in milliseconds. No caller waits for it. */
const SAVE_TIMEOUT_MS = 10_000;
/** How long the server may take to confirm the cached copy, in milliseconds. Without a response, the copy is used. */
const REVALIDATION_MS = 3000;

export interface StoredFile {
  readonly blob: Blob;
  readonly source: "network" | "cache" | "request";
  readonly digest: FileDigest;
  /** `null` if the cache cannot hold the file. */
  readonly origin: FileOrigin | null;
  /**
   * Stores the file in the cache for later sessions, once. Other tabs wait for it until then, or until `drop`. Resolves
   * with the digest under which the cache holds the file; `null` if it does not. Never rejects.
   */
  keep(): Promise<string | null>;
  /** Lets other tabs download the file, because this load does not store it. No effect after `keep`. */
  drop(): void;
}

interface Downloaded {
  readonly blob: Blob;
  readonly digest: FileDigest;
  readonly validator: string | null;
}

export interface ModelStoreConfig {
  readonly cache: ModelCache | null;
  readonly turns: DownloadLock;
  readonly timer: Timer;
  readonly random: () => number;
  readonly integrity: string | null;
  /** See `ModelLocation`. */
  readonly pinned: string | null;
  readonly sizeLimit: SizeLimit;
  readonly stallTimeoutMs: number;
  readonly progress: FileProgress;
  /** Ends the download, with its reason, and lets other tabs download the file. */
  readonly end?: AbortSignal;
  /** Called for failures that the load survives: a broken cache, or a network failure when the cache has a copy. */
  readonly onWarning: (error: Error) => void;
}

/**
 * Obtains a file from the cache if it holds the server's current version, otherwise from the network. A
 * failure of the cache counts as a miss. If the network or the server fails, uses the cached copy. If `pinned` or
 * `integrity` identifies the bytes, sends a request only for a file that the cache does not hold.
 */
export class ModelStore {
  readonly #config: ModelStoreConfig;
  readonly #deadline: Deadline;
  #cache: ModelCache | null;

  constructor(config: ModelStoreConfig) {
    this.#config = config;
    this.#cache = config.cache;
    this.#deadline = new Deadline(CACHE_TIMEOUT_MS, config.timer);
  }

  /**
   * Returns the file at an address.
   *
   * @throws the errors of `openDownload` and `Download.read`
   * @throws MODEL_INTEGRITY when the bytes do not match `integrity` or `pinned`
   */
  async obtain(url: string): Promise<StoredFile> {
    const known = await this.#tolerate((cache) => cache.find(url, this.#deadline));
    const { integrity, pinned } = this.#config;
    const isNamed = integrity !== null || pinned !== null;
    if (known !== null && !isNamed) return this.#revalidate(url, known);
    const cached = known === null ? null : await this.#readCache(url, known);
    return cached ?? this.#fetch(url, null, null);
  }

  /**
   * Accepts a file that came with the request.
   *
   * @throws MODEL_TOO_LARGE when the file exceeds the limit
   * @throws MODEL_INTEGRITY when the bytes do not match `integrity` or `pinned`
   * @throws the error of the browser when the file cannot be read
   */
  async accept({ blob, sha256, origin = null }: Extract<ModelLocation, { readonly blob: Blob }>): Promise<StoredFile> {
    const { sizeLimit, progress } = this.#config;
    if (blob.size > sizeLimit.maxBytes) throw new DownloadErrors("blob:").tooLarge(blob.size, sizeLimit);
    // What reads a large file later may not say that it cannot.
    await blob.slice(0, 1).arrayBuffer();
    // A worker that was lost may have downloaded it, and not have come to its digest.
    const digest = origin === null ? new FileDigest(null, sha256) : await FileDigest.of(blob, sha256);
    await this.#verify("blob:", blob, digest);
    progress.there(blob.size, false);
    let kept: Promise<string | null> | null = null;
    const keep = () => (kept ??= this.#keepGiven(blob, digest, origin));
    return { blob, source: "request", digest, origin, keep, drop: () => undefined };
  }

  /** Stores what another worker has downloaded, unless that worker has. Replaces no other version: it may be newer. */
  async #keepGiven(blob: Blob, digest: FileDigest, origin: FileOrigin | null): Promise<string | null> {
    const sha256 = await digest.compute();
    if (this.#cache === null || sha256 === null || origin === null) return null;
    const { turns, timer } = this.#config;
    const turn = await turns.take(origin.url, () => undefined);
    try {
      const deadline = new Deadline(CACHE_TIMEOUT_MS, timer);
      const found = await this.#tolerate((cache) => cache.find(origin.url, deadline));
      if (found !== null) return found.sha256 === sha256 ? sha256 : null;
      return await this.#save(origin.url, { blob, digest, validator: origin.validator });
    } finally {
      turn.end();
    }
  }

  async #revalidate(url: string, known: Manifest): Promise<StoredFile> {
    try {
      const download = await this.#open(url, REVALIDATION_MS);
      const isCurrent = known.validator !== null && download.validator === known.validator;
      const cached = isCurrent ? await this.#readCache(url, known) : null;
      if (cached === null) return await this.#fetch(url, known, download);
      download.cancel();
      return cached;
    } catch (error) {
      const cached = isAnswer(error) ? null : await this.#readCache(url, known);
      if (cached === null) throw error;
      this.#config.onWarning(error instanceof Error ? error : new Error(String(error)));
      return cached;
    }
  }

  /**
   * Downloads the file, unless another tab has stored it in the meantime. With an older copy, `known`, tries only once,
   * because using the copy is better than retrying.
   */
  async #fetch(url: string, known: Manifest | null, opened: Download | null): Promise<StoredFile> {
    const { turns, progress } = this.#config;
    const cancel = () => opened?.cancel();
    const turn = this.#cache === null ? NO_TURN : await turns.take(url, progress.downloaded, cancel);
    try {
      const cached = turn.hasWaited ? await this.#readNewer(url, known) : null;
      if (cached === null) return await this.#download(url, known, turn.hasWaited ? null : opened, turn);
      turn.end();
      return cached;
    } catch (error) {
      turn.end();
      throw error;
    }
  }

  async #readNewer(url: string, known: Manifest | null): Promise<StoredFile | null> {
    const found = await this.#tolerate((cache) => cache.find(url, this.#deadline));
    return found === null || found.storedAtMs === known?.storedAtMs ? null : this.#readCache(url, found);
  }

  async #download(url: string, known: Manifest | null, opened: Download | null, turn: Turn): Promise<StoredFile> {
    const { timer, random, progress, end } = this.#config;
    const report = (loadedBytes: number, totalBytes: number | null) => {
      progress.downloaded(loadedBytes, totalBytes);
      turn.tell(loadedBytes, totalBytes);
    };
    let next = opened;
    const attempt = async () => {
      // Also shows that the worker is alive: the page terminates a worker that is silent for too long.
      progress.downloaded(0, null);
      try {
        const download = next ?? (await this.#open(url));
        next = null;
        return { blob: await download.read(report), validator: download.validator };
      } finally {
        end?.throwIfAborted();
      }
    };
    const onWait = () => progress.downloaded(0, null);
    const { blob, validator } = await (known === null
      ? withRetries(attempt, { timer, random, onWait, ...(end !== undefined && { end }) })
      : attempt());
    const digest = await FileDigest.of(blob);
    await this.#verify(url, blob, digest);
    const save = () => this.#save(url, { blob, digest, validator }).finally(() => turn.end());
    let kept: Promise<string | null> | null = null;
    const drop = () => {
      if (kept === null) turn.end();
    };
    const origin = /^https?:/.test(url) ? { url, validator } : null;
    return { blob, source: "network", digest, origin, keep: () => (kept ??= save()), drop };
  }

  #open(url: string, answerTimeoutMs = Infinity): Promise<Download> {
    return openDownload(url, this.#config, Math.min(answerTimeoutMs, this.#config.stallTimeoutMs));
  }

  async #save(url: string, { digest, ...file }: Downloaded): Promise<string | null> {
    const sha256 = await digest.compute();
    if (sha256 === null) return null;
    const deadline = new Deadline(SAVE_TIMEOUT_MS, this.#config.timer);
    return this.#tolerate((cache) => cache.write(url, { ...file, sha256 }, deadline));
  }

  async #readCache(url: string, manifest: Manifest): Promise<StoredFile | null> {
    const cache = this.#cache;
    const blob = await this.#tolerate((present) => present.read(url, manifest, this.#deadline));
    if (blob === null) return this.#cache === null ? null : this.#readReplaced(url, manifest);
    if (blob.size > this.#config.sizeLimit.maxBytes || !(await this.#isWanted(url, blob, manifest))) return null;
    this.#config.progress.there(blob.size, true);
    const deadline = new Deadline(CACHE_TIMEOUT_MS, this.#config.timer);
    // The file can be used even if its last use is not recorded.
    void cache?.touch(url, manifest, deadline).catch(() => undefined);
    const { sha256, validator } = manifest;
    const kept = { keep: () => Promise.resolve(sha256), drop: () => undefined };
    return { blob, source: "cache", digest: new FileDigest(null, sha256), origin: { url, validator }, ...kept };
  }

  /** Reads the copy with which another tab has replaced the one of a manifest. Without one, that was damaged. */
  async #readReplaced(url: string, { sha256, storedAtMs }: Manifest): Promise<StoredFile | null> {
    const newer = await this.#tolerate((present) => present.find(url, this.#deadline));
    if (newer !== null && (newer.sha256 !== sha256 || newer.storedAtMs !== storedAtMs))
      return this.#readCache(url, newer);
    if (this.#cache !== null)
      this.#config.onWarning(cacheFailed("the copy of the model in the cache was damaged; it is downloaded again"));
    return null;
  }

  async #isWanted(url: string, blob: Blob, { sha256 }: Manifest): Promise<boolean> {
    return this.#verify(url, blob, new FileDigest(null, sha256)).then(
      () => true,
      () => false,
    );
  }

  async #verify(url: string, blob: Blob, digest: FileDigest): Promise<void> {
    const { integrity, pinned } = this.#config;
    if (integrity !== null) await verifyIntegrity(blob, integrity, await digest.compute());
    if (pinned === null) return;
    const got = await digest.compute();
    if (got !== pinned) throw new DownloadErrors(url).changed(pinned, got);
  }

  /** Calls the cache. Returns `null` for a miss, or if there is no cache. Drops the cache once it has failed. */
  async #tolerate<T>(ask: (cache: ModelCache) => Promise<T>): Promise<T | null> {
    if (this.#cache === null) return null;
    try {
      return await ask(this.#cache);
    } catch (error) {
      this.#cache = null;
      const text = error instanceof Error ? error.message || error.name : String(error);
      this.#config.onWarning(
        cacheFailed(`the model cache does not work here; the model is loaded without it (${text})`, error),
      );
      return null;
    }
  }
}

function cacheFailed(message: string, cause?: unknown): FramebatchError {
  return new FramebatchError("CACHE_FAILED", message, { cause });
}

/** Returns true if the error concerns the model itself, unlike a captive portal's login page or a missing response. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof FramebatchError)) return true;
  if (error.code === "MODEL_STATUS") return !isTransient(error);
  return errorTraits(error.code).scope === "model";
}

/** Weakest first. As in HTML, only digests of the strongest given algorithm count. */
const ALGORITHMS = ["sha256", "sha384", "sha512"] as const;

/**
 * Checks a file against a list of digests, in the format of HTML's `integrity`: "sha384-… sha384-…". Also accepts the
 * digests of pieces that `listCachedModels` returns for large files.
 *
 * @param known the digest of the file's pieces; `null` if it has not been computed
 * @throws MODEL_INTEGRITY when no digest of the strongest algorithm matches, or when the page has no secure context
 */
async function verifyIntegrity(blob: Blob, integrity: string, known: string | null): Promise<void> {
  const digests = integrity.trim().split(/\s+/);
  const algorithm = ALGORITHMS.findLast((name) => digests.some((digest) => digest.startsWith(`${name}-`))) ?? "sha256";
  const ofPieces = algorithm === "sha256" && integrity.includes(`sha256-${OF_PIECES}`);
  if (algorithm === "sha256" && digests.includes(`sha256-${known}`)) return;
  const got = `${algorithm}-${ofPieces ? await pieceDigestOf(blob) : await digestOf(blob, algorithm)}`;
  if (digests.some((digest) => digest.split("?")[0] === got)) return;
  throw new FramebatchError(
    "MODEL_INTEGRITY",
    `expected a model with the digest ${integrity}, got ${got}; the file at the address is another one`,
    { details: { expected: integrity, got, bytes: blob.size } },
  );
}
