import type { ErrorCode } from "framebatch";

/**
 * One thing that goes wrong, and what the user of the SDK gets: rows of the tables that the tests run one by one, and that
 * the page "What can go wrong and what you get" is made from.
 */
export interface Fault {
  /** Unique in its table; kebab-case. */
  readonly id: string;
  /** What happens, in a few words. */
  readonly fault: string;
  /** The code of the error; `null` where nothing fails. */
  readonly code: ErrorCode | null;
  /** The error's sentence, where "…" stands for what differs; what happens instead where nothing fails. */
  readonly message: string;
  /** What to do about it, and whether trying again helps. */
  readonly advice: string;
}

/** A model's download that goes wrong: at first, and again once the cache holds a copy of an earlier day. */
export interface DownloadFault extends Fault {
  /**
   * What is asked for: a path of the tests' server, which does what is wrong; `other:` and a path on another origin;
   * `dead:` and a path where nothing listens; or an address that no server is asked for.
   */
  readonly address: string;
  /** Options of the SDK that the fault needs; an `integrity` of the right file, or of another one. */
  readonly options?: {
    readonly stallTimeoutMs?: number;
    readonly maxModelBytes?: number;
    readonly integrity?: "right" | "wrong";
  };
  /** What happens once there is an earlier copy: it is used, the error is the same, or there can be none. */
  readonly cached: "used" | "same error" | "never";
}

/** A cache that does not work. The model loads all the same, and an event may say why it takes longer. */
export interface CacheFault extends Fault {
  readonly code: "CACHE_FAILED" | null;
}
