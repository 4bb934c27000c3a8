import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AskOptions, CalledLane } from "../src/lanes/lane.js";
import { pointer, scroll, typing } from "../src/loads/interfaces.js";
import { OpenCalls } from "../src/loads/open-calls.js";
import { Place } from "../src/loads/place.js";
import { fakeTime } from "./support/fake-time.js";
import { everyTenth, runsAll, slice } from "./support/open-slice.js";

const FRAME_MS = 16;

beforeEach(() => {
  fakeTime();
  vi.stubGlobal("requestAnimationFrame", (callback: () => void) => setTimeout(callback, FRAME_MS));
  vi.stubGlobal("cancelAnimationFrame", clearTimeout);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/**
 * A lane that answers one call every `answerMs` milliseconds, keeps only the latest call of each key, and rejects
 * superseded and withdrawn calls.
 */
function supersedes(answerMs: number): CalledLane["predict"] {
  const waiting: { readonly options: AskOptions; readonly settle: (error?: Error) => void }[] = [];
  setInterval(() => waiting.shift()?.settle(), answerMs);
  return (_, options = {}) =>
    new Promise((resolve, reject) => {
      const older = waiting.findIndex((call) => call.options.key === options.key);
      if (older >= 0) waiting.splice(older, 1)[0]?.settle(new Error("superseded"));
      const call = { options, settle: (error?: Error) => (error ? reject(error) : resolve(undefined)) };
      waiting.push(call);
      options.signal?.addEventListener("abort", () => {
        waiting.splice(waiting.indexOf(call), 1);
        reject(new Error("withdrawn"));
      });
    });
}

/** Makes three calls of one place, 10 ms apart. */
async function threeCalls(predict: CalledLane["predict"]) {
  const { run, latencies } = slice(predict, 35);
  const calls = new OpenCalls(run, 512);
  const place = new Place("field");
  const [outcome] = await Promise.all([
    calls.until(everyTenth, (nowMs) => calls.ask(nowMs, place)),
    vi.advanceTimersByTimeAsync(1000),
  ]);
  return { outcome, latencies: latencies() };
}

describe("a place that shows its latest answer", () => {
  it("counts each call as answered by its own answer if the lane runs all calls", async () => {
    const { outcome, latencies } = await threeCalls(runsAll(25));
    expect(latencies).toEqual([25, 25, 25]);
    expect(outcome).toMatchObject({ answered: 1, answeredLate: 2, withdrawn: 0 });
  });

  it("counts a superseded call as answered by the answer of the newer call", async () => {
    const { latencies } = await threeCalls(supersedes(35));
    expect(latencies).toEqual([25, 15, 5]);
  });

  it("ignores answers that are older than the one it shows", () => {
    const place = new Place("field");
    const [older, newer] = [place.ask(10), place.ask(20)];
    expect(place.answer(newer)).toEqual([10, 20]);
    expect(place.answer(older)).toEqual([]);
  });

  it("needs only the answer of its latest call, and none after it leaves the page", () => {
    const place = new Place("row");
    const [older, newer] = [place.ask(10), place.ask(20)];
    expect([place.isPointless(older), place.isPointless(newer)]).toEqual([true, false]);
    expect(place.leave()).toBe(2);
    expect(place.isPointless(newer)).toBe(true);
    expect(place.answer(newer)).toEqual([]);
  });

  it("rejects if its latest call fails", async () => {
    await expect(threeCalls(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });
});

describe("loads that make their own calls obsolete", () => {
  it.each([
    [typing, 1000],
    [pointer, 240],
    [scroll, 500],
  ] as const)("answers every call of $name on a lane that keeps up", async (load, sliceMs) => {
    const { run, latencies } = slice(runsAll(1), sliceMs);
    const outcome = load.drive(run);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await outcome).toMatchObject({ withdrawn: 0, isLowerBound: false });
    expect(new Set(latencies().map(Math.round)).size).toBeLessThanOrEqual(2);
    expect(latencies().length).toBeGreaterThan(5);
  });

  it("counts rows that scroll out before their answer as withdrawn", async () => {
    const { run } = slice(supersedes(10), 500);
    const outcome = scroll.drive(run);
    await vi.advanceTimersByTimeAsync(2000);
    const { answered, withdrawn } = await outcome;
    expect(answered).toBeLessThan(60);
    expect(withdrawn).toBeGreaterThan(40);
  });
});
