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
  /** How long another worker's download may make no progress before this worker starts its own, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Permission to download a model. Includes the lock, for which other workers wait, unless the wait for it timed out.
 */
export interface Turn {
  /** True if another worker had the lock first, so that the cache may hold the model by now. */
  readonly hasWaited: boolean;
  /** Reports progress to the waiting workers. */
  tell: ReportBytes;
  /** Releases the lock for the next worker. The browser also releases it when the worker ends. */
  end(): void;
}

/**
 * Lets one worker in all tabs of this origin download an address, while the others wait and receive its progress. A
 * worker that receives no progress for `timeoutMs` continues without the lock.
 */
export class DownloadLock {
  readonly #host: TurnHost;

  constructor(host: TurnHost) {
    this.#host = host;
  }

  async take(url: string, onNews: ReportBytes): Promise<Turn> {
    const { locks } = this.#host;
    if (locks === null) return this.#turn(url, false, null);
    const asked = await this.#request(locks, url, ASKING_MS, { ifAvailable: true }, () => undefined);
    if (asked !== "taken") return this.#turn(url, false, asked);
    const later = await this.#wait(locks, url, onNews);
    return this.#turn(url, true, later === "taken" ? null : later);
  }

  async #wait(locks: Locks, url: string, onNews: ReportBytes): Promise<Release | "taken" | null> {
    const news = this.#host.openNews();
    try {
      return await this.#request(locks, url, this.#host.timeoutMs, {}, (extend) => {
        let mostBytes = 0;
        news.addEventListener("message", ({ data }) => {
          if (!isNews(data) || data.url !== url) return;
          // Only progress beyond the previous maximum counts: a download that keeps restarting never ends.
          if (data.loadedBytes > mostBytes) extend();
          mostBytes = Math.max(mostBytes, data.loadedBytes);
          onNews(data.loadedBytes, data.totalBytes);
        });
      });
    } finally {
      news.close();
    }
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
      locks.request(lockName(url), asked, granted).catch(() => settle(null));
    });
  }

  #turn(url: string, hasWaited: boolean, release: Release | null): Turn {
    const news = release === null ? null : this.#host.openNews();
    return {
      hasWaited,
      tell: (loadedBytes, totalBytes) => news?.postMessage({ url, loadedBytes, totalBytes }),
      end() {
        news?.close();
        release?.();
      },
    };
  }
}

type Release = () => void;

function lockName(url: string): string {
  return `framebatch download ${url}`;
}

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
