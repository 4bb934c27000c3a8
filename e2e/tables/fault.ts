import type { ErrorCode } from "framebatch";

/**
 * One failure and the error that the caller gets. The browser tests produce each row of these tables, and
 * docs/what-can-go-wrong.md is generated from them.
 */
export interface Fault {
  /** Unique in its table; kebab-case. */
  readonly id: string;
  /** The cause, in a few words. */
  readonly fault: string;
  /** The code of the error; `null` if nothing fails. */
  readonly code: ErrorCode | null;
  /** The error's message, in which "…" stands for text that varies. If nothing fails: what happens instead. */
  readonly message: string;
  /** What to do, and whether a retry helps. */
  readonly advice: string;
}

/** A download that fails: first with an empty cache, then with an older copy of the model in the cache. */
export interface DownloadFault extends Fault {
  /**
   * The address to load: a path on the test server, which causes the failure; `other:` and a path on another origin;
   * `dead:` and a path on a port on which no server listens; or an address that is never requested.
   */
  readonly address: string;
  /** Options of `createBatchedModel` that the fault needs. `integrity`: the digest of the right or of another file. */
  readonly options?: {
    readonly stallTimeoutMs?: number;
    readonly maxModelBytes?: number;
    readonly integrity?: "right" | "wrong";
  };
  /** With an older copy in the cache: the copy is used, the error is the same, or there can never be a copy. */
  readonly cached: "used" | "same error" | "never";
}

/** A cache that does not work. The model loads nevertheless, and an `error` event may report why it takes longer. */
export interface CacheFault extends Fault {
  readonly code: "CACHE_FAILED" | null;
}
