import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batched } from "./batched.js";
import type { BatchedOptions } from "../options/options.js";
import { createBatchedFunction } from "./batched-function.js";
import { pageClock } from "@framebatch/host/host-timer.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";
import { FramebatchError } from "../errors/errors.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A batched function whose runs take `ms(n)`, one after the other, and how its calls ended. */
function device(ms: (rows: number) => number, options: BatchedOptions<string>) {
  let freeAtMs = 0;
  const run = batched<string, string>((items) => {
    freeAtMs = Math.max(performance.now(), freeAtMs) + ms(items.length);
    return new Promise((resolve) => setTimeout(() => resolve([...items]), freeAtMs - performance.now()));
  }, options);
  const ended: Record<string, string> = {};
  const ask = (item: string, asked = {}) =>
    void run(item, asked).then(
      () => (ended[item] = "answered"),
      (error: unknown) => (ended[item] = error instanceof FramebatchError ? error.code : String(error)),
    );
  return { run, ask, ended };
}

describe("a latency objective", () => {
  // defect C8
  it("counts for a call only the calls that run before it", async () => {
    const { ask, ended } = device((rows) => 25 * rows, { maxLatencyMs: 1000, maxBatchSize: 4 });
    for (const calls of [1, 2, 4]) {
      for (let call = 0; call < calls; call++) ask("warm");
      await vi.advanceTimersByTimeAsync(200);
    }
    for (let call = 0; call < 60; call++) ask(`visible ${call}`);
    ask("key", { priority: "user-blocking" });
    await vi.advanceTimersByTimeAsync(3000);
    expect(ended["visible 59"]).toBe("OVERLOADED");
    expect(ended["key"]).toBe("answered");
  });

  // defect C8
  it("refuses no urgent call because of background calls", async () => {
    const { ask, ended } = device((rows) => 50 * rows, { maxLatencyMs: 1000 });
    ask("warm");
    await vi.advanceTimersByTimeAsync(100);
    for (let call = 0; call < 40; call++) ask(`background ${call}`, { priority: "background" });
    await vi.advanceTimersByTimeAsync(10);
    ask("key", { priority: "user-blocking" });
    await vi.advanceTimersByTimeAsync(3000);
    expect(Object.values(ended).filter((end) => end !== "answered")).toEqual([]);
  });

  // defect C9
  it("refuses no call of an idle engine that meets it, after an overload", async () => {
    const { ask, ended } = device(() => 97, { maxLatencyMs: 100, maxBatchSize: 1 });
    ask("warm");
    await vi.advanceTimersByTimeAsync(500);
    for (let call = 0; call < 40; call++) {
      ask(`call ${call}`);
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.advanceTimersByTimeAsync(500);
    const calls = Array.from({ length: 40 }, (_, call) => ended[`call ${call}`]);
    expect(calls.filter((end) => end === "answered")).toHaveLength(20);
  });

  it("takes an engine for idle on which only less urgent calls wait", async () => {
    const { ask, ended } = device(() => 97, {
      maxLatencyMs: 100,
      batching: { release: "window" },
      maxQueueDelayMs: 40,
    });
    ask("warm");
    await vi.advanceTimersByTimeAsync(500);
    for (let call = 0; call < 6; call++) {
      ask(`call ${call}`);
      await vi.advanceTimersByTimeAsync(50);
    }
    ask("background", { priority: "background" });
    await vi.advanceTimersByTimeAsync(1);
    ask("key", { priority: "user-blocking" });
    await vi.advanceTimersByTimeAsync(500);
    expect([ended["call 5"], ended["background"], ended["key"]]).toEqual(["OVERLOADED", "answered", "answered"]);
  });
});

describe("identical calls that share a row", () => {
  // defect C12
  it.each(["frame", "idle"] as const)("are a closed loop of as many callers, with the rule %s", async (release) => {
    const run = createBatchedFunction<string, string>(
      (items) => new Promise((resolve) => setTimeout(() => resolve([...items]), 1)),
      { dedupe: true, contentKey: (item) => item, batching: { release } },
      { clock: pageClock, frames: new ManualFrames() },
    );
    let answers = 0;
    const caller = async () => {
      for (;;) {
        await run("same");
        answers += 1;
      }
    };
    for (let index = 0; index < 16; index++) void caller();
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers).toBe(16 * 1000);
  });
});

describe("allowed batch sizes", () => {
  // defect C25
  it("hold with batching off, too", async () => {
    const batches: (readonly number[])[] = [];
    const double = batched((items: readonly number[]) => (batches.push(items), items.map((item) => 2 * item)), {
      allowedBatchSizes: [4, 8],
      batching: false,
    });
    expect(await double(3)).toBe(6);
    expect(batches).toEqual([[3, 3, 3, 3]]);
  });
});
