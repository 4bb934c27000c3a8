import { describe, expect, it } from "vitest";
import { DownloadLock, type Locks, type News } from "./download-lock.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";

const URL = "https://example.com/model.onnx";
const TIMEOUT_MS = 1000;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

type Listener = (event: { readonly data: unknown }) => void;

/** One origin: its locks, as the browser grants them, and its channel, which delivers to all other tabs. */
class Origin {
  readonly clock = new ManualClock();
  readonly #holders = new Map<string, object>();
  readonly #queues = new Map<string, (() => void)[]>();
  readonly #channels = new Set<{ listeners: Listener[] }>();

  readonly locks: Locks = {
    request: async (name, { ifAvailable = false, signal }, callback) => {
      if (this.#holders.has(name)) {
        if (ifAvailable) return callback(null);
        await this.#queued(name, signal);
      }
      const lock = {};
      this.#holders.set(name, lock);
      await callback(lock);
      this.#holders.delete(name);
      this.#queues.get(name)?.shift()?.();
    },
  };

  get held(): number {
    return this.#holders.size;
  }

  get channels(): number {
    return this.#channels.size;
  }

  tab(locks: Locks | null = this.locks): DownloadLock {
    return new DownloadLock({
      locks,
      openNews: () => this.#open(),
      timer: this.clock,
      timeoutMs: TIMEOUT_MS,
    });
  }

  #queued(name: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      queue.push(resolve);
      signal?.addEventListener("abort", () => {
        queue.splice(queue.indexOf(resolve), 1);
        reject(new DOMException("aborted", "AbortError"));
      });
    });
  }

  #open(): News {
    const channel = { listeners: [] as Listener[] };
    this.#channels.add(channel);
    return {
      postMessage: (data) => {
        for (const other of this.#channels) {
          if (other !== channel) for (const listener of other.listeners) listener({ data });
        }
      },
      addEventListener: (_type, listener) => channel.listeners.push(listener),
      close: () => this.#channels.delete(channel),
    };
  }
}

describe("DownloadLock", () => {
  it("grants the first turn at once, and the second when the first ends", async () => {
    const origin = new Origin();
    const first = await origin.tab().take(URL, () => undefined);
    const waiting = origin.tab().take(URL, () => undefined);
    await settled();
    first.end();
    const second = await waiting;
    expect([first.hasWaited, second.hasWaited]).toEqual([false, true]);
    second.end();
    await settled();
    expect([origin.held, origin.channels, origin.clock.pending]).toEqual([0, 0, 0]);
  });

  it("grants turns for different addresses at the same time", async () => {
    const origin = new Origin();
    const turns = [await origin.tab().take(URL, () => undefined), await origin.tab().take(`${URL}?2`, () => undefined)];
    expect(turns.map(({ hasWaited }) => hasWaited)).toEqual([false, false]);
  });

  it("waits as long as the other download makes progress, and reports that progress", async () => {
    const origin = new Origin();
    const seen: number[] = [];
    const first = await origin.tab().take(URL, () => undefined);
    const waiting = origin.tab().take(URL, (loadedBytes) => seen.push(loadedBytes));
    await settled();
    for (let step = 1; step <= 5; step += 1) {
      origin.clock.advanceTo(step * (TIMEOUT_MS - 1));
      first.tell(step * 100, 500);
    }
    first.end();
    expect((await waiting).hasWaited).toBe(true);
    expect(seen).toEqual([100, 200, 300, 400, 500]);
  });

  it("proceeds without a turn exactly when the other download has made no progress for the timeout", async () => {
    const origin = new Origin();
    const first = await origin.tab().take(URL, () => undefined);
    let turn: unknown = null;
    const waiting = origin.tab().take(URL, () => undefined);
    void waiting.then((taken) => (turn = taken));
    await settled();
    origin.clock.advanceTo(500);
    first.tell(100, 500);
    // The download restarts, and gets no further than before.
    origin.clock.advanceTo(900);
    first.tell(0, null);
    first.tell(100, 500);
    origin.clock.advanceTo(500 + TIMEOUT_MS - 1);
    await settled();
    expect(turn).toBeNull();
    origin.clock.advanceTo(500 + TIMEOUT_MS);
    const second = await waiting;
    second.end();
    first.end();
    await settled();
    expect([origin.held, origin.channels, origin.clock.pending]).toEqual([0, 0, 0]);
  });

  it.each<[string, Locks | null]>([
    ["there are no locks", null],
    ["locks are forbidden", { request: () => Promise.reject(new DOMException("no", "SecurityError")) }],
  ])("proceeds without a lock if %s", async (_what, locks) => {
    const origin = new Origin();
    const turn = await origin.tab(locks).take(URL, () => undefined);
    expect(turn.hasWaited).toBe(false);
    turn.tell(1, 2);
    turn.end();
    expect(origin.channels).toBe(0);
  });

  it("does not wait for locks that never answer, and releases a lock that is granted too late", async () => {
    const origin = new Origin();
    const late: (() => Promise<void>)[] = [];
    const locks: Locks = {
      request: (_name, _options, callback) => {
        late.push(() => callback({}));
        return new Promise(() => undefined);
      },
    };
    const waiting = origin.tab(locks).take(URL, () => undefined);
    origin.clock.advanceTo(1000);
    expect((await waiting).hasWaited).toBe(false);
    await Promise.all(late.map((grant) => grant()));
  });

  it("ignores messages that are not valid progress of this address", async () => {
    const origin = new Origin();
    const seen: number[] = [];
    const first = await origin.tab().take(URL, () => undefined);
    const other = await origin.tab().take(`${URL}?2`, () => undefined);
    const waiting = origin.tab().take(URL, (loadedBytes) => seen.push(loadedBytes));
    await settled();
    other.tell(1, 2);
    first.tell(Number.NaN, null);
    first.tell(5, null);
    first.end();
    await waiting;
    expect(seen).toEqual([5]);
  });
});
