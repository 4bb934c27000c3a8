import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batched } from "./batched.js";
import type { BatchedOptions } from "../options/options.js";

const FRAME_MS = 1000 / 60;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

interface Run {
  readonly items: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
}

/** A device that runs one list at a time, for `ms(n)` each. Items that begin with "b" are background work. */
function device(ms: (rows: number) => number, options: BatchedOptions<string> = {}) {
  const runs: Run[] = [];
  const run = batched<string, string>((items) => {
    const startMs = Math.max(performance.now(), runs.at(-1)?.endMs ?? 0);
    const endMs = startMs + ms(items.length);
    runs.push({ items: [...items], startMs, endMs });
    return new Promise((resolve) => setTimeout(() => resolve([...items]), endMs - performance.now()));
  }, options);
  return { run, runs };
}

/** The time that the device spends on background items from `fromMs` to the start of the run with this item. */
function backgroundBefore(runs: readonly Run[], item: string, fromMs: number): number {
  const own = runs.findIndex(({ items }) => items.includes(item));
  expect(own).toBeGreaterThanOrEqual(0);
  const before = runs.slice(0, own).filter(({ items }) => items.every((other) => other.startsWith("b")));
  return before.reduce((sum, { startMs, endMs }) => sum + Math.max(0, endMs - Math.max(startMs, fromMs)), 0);
}

const COSTS: Readonly<Record<string, (rows: number) => number>> = {
  "1 ms a row": (rows) => rows,
  "5 ms a row": (rows) => 5 * rows,
  "8 ms and 0.05 ms a row": (rows) => 8 + 0.05 * rows,
  "30 ms a row": (rows) => 30 * rows,
};

describe.each(["frame", "idle", "window"] as const)("with the rule %s, an urgent call", (release) => {
  // Of users.md, bug 3.
  it.each(Object.keys(COSTS))("waits for background calls at most a frame, or one of them: %s", async (name) => {
    const ms = COSTS[name]!;
    const { run, runs } = device(ms, { batching: { release } });
    for (let call = 0; call < 6; call++) {
      void run.many(Array.from({ length: 1 + (call % 3) }, () => "warm"));
      await vi.advanceTimersByTimeAsync(200);
    }
    void run.many(
      Array.from({ length: 600 }, (_, index) => `b${index}`),
      { priority: "background" },
    );
    for (let key = 0; key < 40; key++) {
      await vi.advanceTimersByTimeAsync((37 * key) % 150);
      const askedMs = performance.now();
      void run(`key ${key}`, { priority: key % 2 === 0 ? "user-blocking" : "user-visible" });
      await vi.advanceTimersByTimeAsync(200);
      const waitedMs = backgroundBefore(runs, `key ${key}`, askedMs);
      expect(Math.max(waitedMs, FRAME_MS, 1.1 * ms(1))).toBe(Math.max(FRAME_MS, 1.1 * ms(1)));
    }
  });
});

describe("background calls", () => {
  it("have full batches in a hidden tab, where nobody waits", async () => {
    vi.stubGlobal("document", {
      visibilityState: "hidden",
      hidden: true,
      addEventListener() {},
      removeEventListener() {},
    });
    const { run, runs } = device((rows) => 8 + rows, { maxBatchSize: 64 });
    await Promise.all([run("warm"), vi.advanceTimersByTimeAsync(50)]);
    await Promise.all([run.many(["w", "w", "w"]), vi.advanceTimersByTimeAsync(50)]);
    void run.many(
      Array.from({ length: 200 }, (_, index) => `b${index}`),
      { priority: "background" },
    );
    await vi.advanceTimersByTimeAsync(2000);
    expect(Math.max(...runs.map(({ items }) => items.length))).toBe(64);
    vi.unstubAllGlobals();
  });

  it("start one by one while no run time is known", async () => {
    const { run, runs } = device((rows) => 10 * rows);
    void run.many(["b1", "b2", "b3", "b4"], { priority: "background" });
    await vi.advanceTimersByTimeAsync(9);
    expect(runs.map(({ items }) => items)).toEqual([["b1"]]);
    await vi.advanceTimersByTimeAsync(200);
    expect(runs.flatMap(({ items }) => items)).toEqual(["b1", "b2", "b3", "b4"]);
  });

  // More are queued than the bound lets into one run, so waiting for the end of the window gains nothing.
  it("do not wait for the end of a window when no other could join them", async () => {
    const { run, runs } = device((rows) => 5 * rows, {
      batching: { release: "window" },
      maxQueueDelayMs: 60_000,
      maxBatchSize: 8,
    });
    await Promise.all([run.many(Array.from({ length: 8 }, () => "warm")), vi.advanceTimersByTimeAsync(300)]);
    void run.many(
      Array.from({ length: 32 }, (_, index) => `b${index}`),
      { priority: "background" },
    );
    await vi.advanceTimersByTimeAsync(1000);
    // The last one, alone, waits for others that could join it.
    expect(runs.slice(1).flatMap(({ items }) => items)).toEqual(Array.from({ length: 31 }, (_, index) => `b${index}`));
  });

  it("wait as long as they must with a latency objective, and are not refused", async () => {
    const { run } = device((rows) => 20 * rows, { maxLatencyMs: 100 });
    const answers = run.many(
      Array.from({ length: 40 }, (_, index) => `b${index}`),
      { priority: "background" },
    );
    await vi.advanceTimersByTimeAsync(2000);
    expect(await answers).toHaveLength(40);
  });
});
