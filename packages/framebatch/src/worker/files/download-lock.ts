import { after, type Timer } from "@framebatch/host/host-timer.js";
import type { ReportBytes } from "./download.js";

/** Timeout of a query whether the lock is free, in milliseconds. A browser that does not reply has no working locks. */
const ASKING_MS = 1000;

/** The part of the browser's `LockManager` that is used here. */
export interface Locks {
  request(
    name: string,
    options: { readonly ifAvailable?: boolean; readonly signal?: AbortSignal },
    callback: (lock: object | null) => Promise<void>,
  ): Promise<unknown>;
}

/** The part of a `BroadcastChannel` that is used here. */
export interface News {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

export interface TurnHost {
  /** `null` if the browser has none; each worker then downloads for itself. */
  readonly locks: Locks | null;
  readonly openNews: () => News;
  readonly timer: Timer;
  /** How long another worker's downloads may make no progress before this worker starts its own, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Permission to download a model. Includes the lock, for which other workers wait, unless the wait for it timed out.
 */
export interface Turn {
  /** True if the load has waited for another worker, so that the cache may hold the model by now. */
  readonly hasWaited: boolean;
  /** Reports progress to the waiting workers. */
  tell: ReportBytes;
  /** Releases the lock for the next worker. The browser also releases it when the worker ends. */
  end(): void;
}

/** Permission without a lock. */
export const NO_TURN: Turn = { hasWaited: false, tell: () => undefined, end: () => undefined };

/** A file that has no turn yet. */
interface Asking {
  readonly url: string;
  readonly onNews: ReportBytes;
  readonly onWait: () => void;
}

/**
 * The turns of one load. Lets one worker in all tabs of this origin download an address, while the others wait and
 * receive its progress. A load that receives no progress for `timeoutMs` continues without locks.
 *
 * No two loads wait for each other: while a load waits for an address, it takes no other lock, and holds only locks of
 * addresses before it.
 */
export class DownloadLock {
  readonly #host: TurnHost;
  /** `null` once the browser or the holder of a lock has not answered. */
  #locks: Locks | null;
  readonly #held = new Set<string>();
  readonly #asking = new Set<Asking>();
  /** Ends when the file that asked last has its turn. */
  #line: Promise<unknown> = Promise.resolve();
  #hasWaited = false;

  constructor(host: TurnHost) {
    this.#host = host;
    this.#locks = host.locks;
  }

  /**
   * Takes the turn of a file, after those of the files that have asked before.
   *
   * @param onNews receives the progress of another worker at this address
   * @param onWait called before the turn if another worker has to be waited for
   */
  take(url: string, onNews: ReportBytes, onWait: () => void = () => undefined): Promise<Turn> {
    const file = { url, onNews, onWait };
    this.#asking.add(file);
    if (this.#hasWaited) onWait();
    const turn = this.#line.then(() => this.#ask(url)).finally(() => this.#asking.delete(file));
    this.#line = turn.catch(() => undefined);
    return turn;
  }

  async #ask(url: string): Promise<Turn> {
    const locks = this.#locks;
    if (locks === null) return this.#turn(url, null);
    const asked = await this.#request(locks, url, ASKING_MS, { ifAvailable: true }, () => undefined);
    const mayWait = [...this.#held].every((held) => held < url);
    if (asked === "taken" && !mayWait) return this.#turn(url, null);
    const granted = asked === "taken" ? await this.#wait(locks, url) : asked;
    if (granted === null) this.#locks = null;
    return this.#turn(url, granted);
  }

  async #wait(locks: Locks, url: string): Promise<Release | null> {
    if (!this.#hasWaited) for (const { onWait } of this.#asking) onWait();
    this.#hasWaited = true;
    const news = this.#host.openNews();
    try {
      const listen = (extend: () => void) => news.addEventListener("message", this.#listener(extend));
      const later = await this.#request(locks, url, this.#host.timeoutMs, {}, listen);
      return later === "taken" ? null : later;
    } finally {
      news.close();
    }
  }

  /**
   * Listens for progress at the addresses of all files that have no turn: the other worker may be downloading any of
   * them.
   */
  #listener(extend: () => void): (event: { readonly data: unknown }) => void {
    const mostBytes = new Map<string, number>();
    return ({ data }) => {
      if (!isNews(data)) return;
      for (const { url, onNews } of this.#asking) {
        if (data.url !== url) continue;
        // Only progress beyond the previous maximum counts: a download that keeps restarting never ends.
        if (data.loadedBytes > (mostBytes.get(url) ?? 0)) extend();
        mostBytes.set(url, Math.max(mostBytes.get(url) ?? 0, data.loadedBytes));
        onNews(data.loadedBytes, data.totalBytes);
      }
    };
  }

  /**
   * Requests the lock. Returns a function that releases it; `"taken"` if another worker holds it; `null` if the browser
   * does not reply in time or rejects the request.
   *
   * @param listen receives a function that restarts the timeout
   */
  #request(
    locks: Locks,
    url: string,
    timeoutMs: number,
    options: { readonly ifAvailable?: boolean },
    listen: (extend: () => void) => void,
  ): Promise<Release | "taken" | null> {
    const { timer } = this.#host;
    const controller = new AbortController();
    // `ifAvailable` and `signal` exclude each other.
    const asked = options.ifAvailable === true ? options : { signal: controller.signal };
    return new Promise((resolve) => {
      let isOver = false;
      const settle = (outcome: Release | "taken" | null) => {
        isOver = true;
        stop();
        resolve(outcome);
      };
      const giveUp = () => {
        settle(null);
        controller.abort();
      };
      const start = () => after(timeoutMs, giveUp, timer);
      let stop = start();
      listen(() => {
        stop();
        if (!isOver) stop = start();
      });
      const granted = async (lock: object | null) => {
        if (isOver) return;
        if (lock === null) return settle("taken");
        await new Promise<void>((release) => settle(release));
      };
      locks.request(`framebatch download ${url}`, asked, granted).catch(() => settle(null));
    });
  }

  #turn(url: string, release: Release | null): Turn {
    const hasWaited = this.#hasWaited;
    if (release === null) return { ...NO_TURN, hasWaited };
    const news = this.#host.openNews();
    this.#held.add(url);
    return {
      hasWaited,
      tell: (loadedBytes, totalBytes) => news.postMessage({ url, loadedBytes, totalBytes }),
      end: () => {
        news.close();
        this.#held.delete(url);
        release();
      },
    };
  }
}

type Release = () => void;

/** Returns true for valid news. Any script of this origin can send messages on the channel. */
function isNews(value: unknown): value is { url: string; loadedBytes: number; totalBytes: number | null } {
  if (typeof value !== "object" || value === null) return false;
  return (
    "url" in value &&
    "loadedBytes" in value &&
    "totalBytes" in value &&
    Number.isSafeInteger(value.loadedBytes) &&
    (value.totalBytes === null || Number.isSafeInteger(value.totalBytes))
  );
}
