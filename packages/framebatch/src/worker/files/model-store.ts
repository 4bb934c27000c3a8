import { FramebatchError, errorTraits } from "../../core/errors.js";
import { Deadline } from "../../time/deadline.js";
import { canDigest, digestOf } from "../../store/digest.js";
import type { Timer } from "../../time/host-timer.js";
import type { Manifest } from "../../store/manifest.js";
import type { ModelCache } from "../../store/model-cache.js";
import { type Download, openDownload } from "./download.js";
import { DownloadErrors } from "./download-errors.js";
import type { DownloadTurns, Turn } from "./download-lock.js";
import type { FileProgress } from "./progress-sum.js";
import { isPassing, withRetries } from "./retry.js";

/** All that one load waits for a cache that does not answer, in milliseconds. */
const CACHE_PATIENCE_MS = 2000;
/** The same for keeping a model, which nobody waits for. */
const SAVE_PATIENCE_MS = 10_000;
/** How long the server may take to say whether the cached copy is still right, in milliseconds; then it is taken for right. */
const REVALIDATION_MS = 3000;

export interface StoredFile {
  readonly bytes: ArrayBuffer;
  readonly fromCache: boolean;
  /** As in `ObtainedFile`; of bytes that came with the request, the digest under which the cache holds them. */
  readonly sha256: string | null;
  /** As in `ObtainedFile`. */
  readonly blob: Blob | null;
  /**
   * Keeps the file for later sessions, once; until then, other tabs wait for it. The digest under which the cache holds it,
   * or `null` where it does not. Never rejects.
   */
  keep(): Promise<string | null>;
}

interface Downloaded {
  readonly blob: Blob;
  readonly sha256: string | null;
  readonly validator: string | null;
}

export interface ModelStoreConfig {
  readonly cache: ModelCache | null;
  readonly turns: DownloadTurns;
  readonly timer: Timer;
  readonly random: () => number;
  readonly integrity: string | null;
  /** As in `ModelLocation`. */
  readonly pinned: string | null;
  readonly maxModelBytes: number;
  readonly stallTimeoutMs: number;
  readonly progress: FileProgress;
  /** Hears of what went wrong without harm: a broken cache, a network whose place the cache took. */
  readonly onWarning: (error: Error) => void;
}

/**
 * Finds a file's bytes: in the cache where it holds the version that the server has, else on the network. Trouble with the
 * cache is a miss; a network or a server that fails gives way to the cache. Where `pinned` or `integrity` names the bytes, the
 * server is asked only for what the cache does not hold.
 */
export class ModelStore {
  readonly #config: ModelStoreConfig;
  readonly #patience: Deadline;
  #cache: ModelCache | null;

  constructor(config: ModelStoreConfig) {
    this.#config = config;
    this.#cache = config.cache;
    this.#patience = new Deadline(CACHE_PATIENCE_MS, config.timer);
  }

  /** @throws as `openDownload` and `Download.read`; MODEL_INTEGRITY. */
  async obtain(url: string): Promise<StoredFile> {
    const known = await this.#tolerate((cache) => cache.find(url, this.#patience));
    const { integrity, pinned } = this.#config;
    const isNamed = integrity !== null || pinned !== null;
    if (known !== null && !isNamed) return this.#revalidate(url, known);
    const cached = known === null ? null : await this.#readCache(url, known);
    return cached ?? this.#fetch(url, null, null);
  }

  /** Bytes that came with the request. @throws MODEL_TOO_LARGE, MODEL_INTEGRITY. */
  async accept(bytes: ArrayBuffer, sha256: string | null): Promise<StoredFile> {
    const { maxModelBytes, progress } = this.#config;
    if (bytes.byteLength > maxModelBytes) throw new DownloadErrors("blob:").tooLarge(bytes.byteLength, maxModelBytes);
    await this.#verify("blob:", bytes, sha256);
    progress.there(bytes.byteLength, false);
    return { bytes, fromCache: false, sha256, blob: null, keep: () => Promise.resolve(sha256) };
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

  /** Downloads, unless another tab has meanwhile. `known` is the older copy, which is better than trying for long. */
  async #fetch(url: string, known: Manifest | null, opened: Download | null): Promise<StoredFile> {
    const turn = this.#cache === null ? NO_TURN : await this.#config.turns.take(url, this.#config.progress.downloaded);
    try {
      if (turn.hasWaited) opened?.cancel();
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
    const found = await this.#tolerate((cache) => cache.find(url, this.#patience));
    return found === null || found.storedAtMs === known?.storedAtMs ? null : this.#readCache(url, found);
  }

  async #download(url: string, known: Manifest | null, opened: Download | null, turn: Turn): Promise<StoredFile> {
    const { timer, random, progress } = this.#config;
    const report = (loadedBytes: number, totalBytes: number | null) => {
      progress.downloaded(loadedBytes, totalBytes);
      turn.tell(loadedBytes, totalBytes);
    };
    let next = opened;
    const attempt = async () => {
      // A sign of life, too: the page ends a worker that is silent for long.
      progress.downloaded(0, null);
      const download = next ?? (await this.#open(url));
      next = null;
      return { blob: await download.read(report), validator: download.validator };
    };
    const onWait = () => progress.downloaded(0, null);
    const { blob, validator } = await (known === null ? withRetries(attempt, { timer, random, onWait }) : attempt());
    const bytes = await blob.arrayBuffer();
    const sha256 = canDigest() ? await digestOf(bytes, "sha256") : null;
    await this.#verify(url, bytes, sha256);
    const save = () => this.#save(url, { blob, sha256, validator }).finally(() => turn.end());
    let kept: Promise<string | null> | null = null;
    return { bytes, fromCache: false, sha256, blob, keep: () => (kept ??= save()) };
  }

  #open(url: string, answerTimeoutMs = Infinity): Promise<Download> {
    return openDownload(url, this.#config, Math.min(answerTimeoutMs, this.#config.stallTimeoutMs));
  }

  async #save(url: string, { sha256, ...file }: Downloaded): Promise<string | null> {
    if (sha256 === null) return null;
    const patience = new Deadline(SAVE_PATIENCE_MS, this.#config.timer);
    return this.#tolerate((cache) => cache.write(url, { ...file, sha256 }, patience));
  }

  async #readCache(url: string, manifest: Manifest): Promise<StoredFile | null> {
    const cache = this.#cache;
    const bytes = await this.#tolerate((present) => present.read(url, manifest, this.#patience));
    if (bytes === null) {
      if (this.#cache !== null)
        this.#config.onWarning(cacheFailed("the copy of the model in the cache was damaged; it is downloaded again"));
      return null;
    }
    if (bytes.byteLength > this.#config.maxModelBytes || !(await this.#isWanted(url, bytes, manifest))) return null;
    this.#config.progress.there(bytes.byteLength, true);
    const patience = new Deadline(CACHE_PATIENCE_MS, this.#config.timer);
    // That it was used need not be known for it to be used.
    void cache?.touch(url, manifest, patience).catch(() => undefined);
    const { sha256 } = manifest;
    return { bytes, fromCache: true, sha256, blob: null, keep: () => Promise.resolve(sha256) };
  }

  async #isWanted(url: string, bytes: ArrayBuffer, { sha256 }: Manifest): Promise<boolean> {
    return this.#verify(url, bytes, sha256).then(
      () => true,
      () => false,
    );
  }

  async #verify(url: string, bytes: ArrayBuffer, sha256: string | null): Promise<void> {
    const { integrity, pinned } = this.#config;
    if (integrity !== null) await checkIntegrity(bytes, integrity);
    if (pinned !== null && sha256 !== pinned) throw new DownloadErrors(url).changed(pinned, sha256);
  }

  /** What the cache says; `null` for a miss, and where there is no cache. One that has failed once is not asked again. */
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

const NO_TURN: Turn = { hasWaited: false, tell: () => undefined, end: () => undefined };

function cacheFailed(message: string, cause?: unknown): FramebatchError {
  return new FramebatchError("CACHE_FAILED", message, { cause });
}

/** Whether the server has told something of the model itself. A portal's login page, or no answer at all, has not. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof FramebatchError)) return true;
  if (error.code === "MODEL_STATUS") return !isPassing(error);
  return errorTraits(error.code).scope === "model";
}

/** Weakest first: where several are given, only the strongest kind counts, as in HTML. */
const ALGORITHMS = ["sha256", "sha384", "sha512"] as const;

/**
 * Checks bytes against a list of digests as in HTML's `integrity`: "sha384-… sha384-…".
 *
 * @throws MODEL_INTEGRITY where no digest of the strongest kind fits, or where the page may not compute one.
 */
export async function checkIntegrity(bytes: ArrayBuffer, integrity: string): Promise<void> {
  const digests = integrity.trim().split(/\s+/);
  const algorithm = ALGORITHMS.findLast((name) => digests.some((digest) => digest.startsWith(`${name}-`))) ?? "sha256";
  const got = `${algorithm}-${await digestOf(bytes, algorithm)}`;
  if (digests.some((digest) => digest.split("?")[0] === got)) return;
  throw new FramebatchError(
    "MODEL_INTEGRITY",
    `expected a model with the digest ${integrity}, got ${got}; the file at the address is another one`,
    { details: { expected: integrity, got, bytes: bytes.byteLength } },
  );
}
