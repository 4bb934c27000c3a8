import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closedLoop, type AfterAnswer } from "../src/loads/closed-loop.js";
import { aMinute } from "./support/fake-time.js";
import { runsAll, slice } from "./support/open-slice.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
afterEach(() => void vi.useRealTimers());

const SLICE_MS = 300;

/** Drives two callers whose calls take 10 ms. Returns when the calls started, and the outcome. */
async function drive(afterAnswer?: AfterAnswer) {
  const startMs = performance.now();
  const calledMs: number[] = [];
  const answer = runsAll(10);
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
    const { calledMs, latencies } = await drive(() => new Promise((resolve) => setTimeout(resolve, 20)));
    expect(calledMs.slice(0, 6)).toEqual([0, 0, 30, 30, 60, 60]);
    expect(new Set(latencies())).toEqual(new Set([10]));
  });
});
