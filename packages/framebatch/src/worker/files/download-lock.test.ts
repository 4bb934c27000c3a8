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
    await settled();
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

  it("waits for no load that may wait for this one: it then proceeds without the lock", async () => {
    const origin = new Origin();
    const [one, other] = [origin.tab(), origin.tab()];
    const ofOne = await one.take(URL, () => undefined);
    const ofOther = await other.take(`${URL}?2`, () => undefined);
    const waiting = one.take(`${URL}?2`, () => undefined);
    const alone = await other.take(URL, () => undefined);
    expect(alone.hasWaited).toBe(false);
    alone.end();
    ofOther.end();
    const later = await waiting;
    expect(later.hasWaited).toBe(true);
    for (const turn of [ofOne, later]) turn.end();
    await settled();
    expect([origin.held, origin.channels, origin.clock.pending]).toEqual([0, 0, 0]);
  });

  it("does not wait for its own load, which may name an address twice", async () => {
    const tab = new Origin().tab();
    const first = await tab.take(URL, () => undefined);
    const second = await tab.take(URL, () => undefined);
    expect([first.hasWaited, second.hasWaited]).toEqual([false, false]);
  });

  it("takes no other lock while it waits, and then tells that the cache may hold the other file, too", async () => {
    const origin = new Origin();
    const first = await origin.tab().take(URL, () => undefined);
    const tab = origin.tab();
    const turns = [URL, `${URL}?2`].map((url) => tab.take(url, () => undefined));
    await settled();
    expect(origin.held).toBe(1);
    first.end();
    expect((await Promise.all(turns)).map(({ hasWaited }) => hasWaited)).toEqual([true, true]);
  });

  it("says before it waits that it does, to each file that has no turn", async () => {
    const origin = new Origin();
    await origin.tab().take(`${URL}?2`, () => undefined);
    const tab = origin.tab();
    const said: string[] = [];
    for (const name of ["", "?2", "?3"])
      void tab.take(
        `${URL}${name}`,
        () => undefined,
        () => said.push(name),
      );
    await settled();
    expect(said).toEqual(["?2", "?3"]);
    void tab.take(
      `${URL}?4`,
      () => undefined,
      () => said.push("?4"),
    );
    expect(said).toEqual(["?2", "?3", "?4"]);
  });

  it("waits as long as the other worker makes progress with any of its files, and reports it", async () => {
    const origin = new Origin();
    const other = origin.tab();
    const done = await other.take(URL, () => undefined);
    const going = await other.take(`${URL}?2`, () => undefined);
    const seen: number[] = [];
    const tab = origin.tab();
    const waiting = tab.take(URL, () => undefined);
    void tab.take(`${URL}?2`, (loadedBytes) => seen.push(loadedBytes));
    await settled();
    for (let step = 1; step <= 3; step += 1) {
      origin.clock.advanceTo(step * (TIMEOUT_MS - 1));
      going.tell(step, null);
      await settled();
    }
    done.end();
    expect((await waiting).hasWaited).toBe(true);
    expect(seen).toEqual([1, 2, 3]);
  });

  it("waits in vain only once, however many files the other worker holds", async () => {
    const origin = new Origin();
    const [hanging, tab] = [origin.tab(), origin.tab()];
    const urls = [URL, `${URL}?2`];
    for (const url of urls) await hanging.take(url, () => undefined);
    const turns = Promise.all(urls.map((url) => tab.take(url, () => undefined)));
    await settled();
    origin.clock.advanceTo(TIMEOUT_MS);
    expect((await turns).map(({ hasWaited }) => hasWaited)).toEqual([true, true]);
  });
});
