import type { Timer } from "../../time/host-timer.js";
import type { ReportBytes } from "./download.js";

/** Asking whether it is our turn takes no time; a browser that does not answer within so long, in milliseconds, has no locks. */
const ASKING_MS = 1000;

/** The part of the browser's `LockManager` that is needed. */
export interface Locks {
  request(
    name: string,
    options: { readonly ifAvailable?: boolean; readonly signal?: AbortSignal },
    callback: (lock: object | null) => Promise<void>,
  ): Promise<unknown>;
}

/** The part of a `BroadcastChannel` that is needed. */
export interface News {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

export interface TurnHost {
  /** `null` where the browser has none: everybody downloads for himself. */
  readonly locks: Locks | null;
  readonly openNews: () => News;
  readonly timer: Timer;
  /** How long a download elsewhere may show no progress before we start our own, in milliseconds. */
  readonly patienceMs: number;
}

/** The right to download a model while other tabs wait; or the end of waiting for one that had it. */
export interface Turn {
  /** Somebody else had it first, so the cache may hold the model by now. */
  readonly hasWaited: boolean;
  /** Tells those who wait how far it is. */
  tell: ReportBytes;
  /** Lets the next one have it; a worker that dies does so too. */
  end(): void;
}

/**
 * Lets one worker of all tabs of this origin download an address while the others wait, and hear of its progress. Never
 * holds anybody up for long: who hears nothing new for his patience goes ahead without a turn.
 */
export class DownloadTurns {
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
      return await this.#request(locks, url, this.#host.patienceMs, {}, (extend) => {
        let mostBytes = 0;
        news.addEventListener("message", ({ data }) => {
          if (!isNews(data) || data.url !== url) return;
          // A download that starts again and again has no end: only what is new counts.
          if (data.loadedBytes > mostBytes) extend();
          mostBytes = Math.max(mostBytes, data.loadedBytes);
          onNews(data.loadedBytes, data.totalBytes);
        });
      });
    } finally {
      news.close();
    }
  }

  /** What releases the lock; `"taken"` where it is another's; `null` where there is no answer in time, or no lock to be had. */
  #request(
    locks: Locks,
    url: string,
    patienceMs: number,
    options: { readonly ifAvailable?: boolean },
    listen: (extend: () => void) => void,
  ): Promise<Release | "taken" | null> {
    const { timer } = this.#host;
    const controller = new AbortController();
    // The two options exclude each other.
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
      const start = () => timer.schedule(timer.now() + patienceMs, giveUp);
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

/** Any script of this origin may send anything. */
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
