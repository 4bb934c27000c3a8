import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closedLoop, type AfterAnswer } from "../src/loads/closed-loop.js";
import { aMinute, fakeTime } from "./support/fake-time.js";
import { runsAll, slice } from "./support/open-slice.js";

beforeEach(fakeTime);
afterEach(() => void vi.restoreAllMocks().useRealTimers());

const SLICE_MS = 300;

/** Drives two callers whose calls take 10 ms. Returns when the calls started, and the outcome. */
async function drive(afterAnswer?: AfterAnswer, answer = runsAll(10)) {
  const startMs = performance.now();
  const calledMs: number[] = [];
  const { run, latencies } = slice((item) => {
    calledMs.push(performance.now() - startMs);
    return answer(item);
  }, SLICE_MS);
  const outcome = closedLoop(2, "widgets-2", afterAnswer).drive(run);
  await aMinute();
  return { calledMs, latencies, ...(await outcome) };
}

describe("callers of a closed loop", () => {
  it("call again at once, whatever they do with an answer that takes no time", async () => {
    const callers = new Set<number>();
    const { calledMs, answered } = await drive((caller) => void callers.add(caller));
    expect(calledMs.slice(0, 6)).toEqual([0, 0, 10, 10, 20, 20]);
    expect(answered).toBeGreaterThan(50);
    expect([...callers]).toEqual([0, 1]);
  });

  it("call again when what they do with an answer has ended, which is no part of a latency", async () => {
    const { calledMs, latencies } = await drive(() => later(20, 20));
    expect(calledMs.slice(0, 6)).toEqual([0, 0, 30, 30, 60, 60]);
    expect(new Set(latencies())).toEqual(new Set([10]));
  });

  it("count from the time at which a call was due if a busy page makes it late, and from the call if it makes it early", async () => {
    expect(new Set((await drive(() => later(20, 15))).latencies())).toEqual(new Set([10, 15]));
    expect(new Set((await drive(() => later(20, 25))).latencies())).toEqual(new Set([10]));
  });
});

/** A pause that ends after `ms` although it was due after `dueMs`. */
function later(ms: number, dueMs: number): Promise<number> {
  const atMs = performance.now() + dueMs;
  return new Promise((resolve) => setTimeout(() => resolve(atMs), ms));
}

describe("a slice of a closed loop", () => {
  it.each([300, 305, 310])("has all answers of a batch that ends it: %i ms, batches of 10 ms", async (sliceMs) => {
    let waiting: (() => void)[] = [];
    const timer = setInterval(() => {
      const answered = waiting;
      waiting = [];
      for (const resolve of answered) resolve();
    }, 10);
    const { run } = slice(() => new Promise<void>((resolve) => waiting.push(resolve)), sliceMs);
    let ends = 0;
    const outcome = closedLoop(64).drive({ ...run, onEnd: () => ends++ });
    await aMinute();
    clearInterval(timer);
    const { answered, elapsedMs } = await outcome;
    expect((answered * 1000) / elapsedMs).toBe(6400);
    expect(ends).toBe(1);
  });

  it("ends when the longest slice is over, also on a lane that never leaves the page's thread", async () => {
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const { run } = slice(() => Promise.resolve((nowMs += 10)), 50);
    const { elapsedMs } = await closedLoop(256).drive({ ...run, times: { ...run.times, longestSliceMs: 100 } });
    // The calls that are open at that time are answered in the same task.
    expect(elapsedMs).toBeLessThanOrEqual(100 + 256 * 10);
  });
});
