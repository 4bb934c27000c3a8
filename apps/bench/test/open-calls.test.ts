import { describe, expect, it, vi, beforeEach, afterEach } from "vitest";
import { OpenCalls } from "../src/loads/open-calls.js";
import { aMinute, fakeTime } from "./support/fake-time.js";
import { everyTenth, runsAll, slice } from "./support/open-slice.js";

beforeEach(fakeTime);
afterEach(() => void vi.useRealTimers());

describe("independent calls", () => {
  it("have latencies from their due times", async () => {
    const { run, latencies } = slice(runsAll(5), 35);
    const calls = new OpenCalls(run, 512);
    const outcome = calls.until(everyTenth, (nowMs) => calls.ask(nowMs - 2));
    await aMinute();
    expect(latencies()).toEqual([7, 7, 7]);
    expect(await outcome).toMatchObject({ answered: 3, answeredLate: 0, isLowerBound: false });
  });

  it("count for the latency but not for the throughput if answered after the end", async () => {
    const { run, latencies } = slice(runsAll(25), 35);
    const calls = new OpenCalls(run, 512);
    const outcome = calls.until(everyTenth, (nowMs) => calls.ask(nowMs));
    await aMinute();
    expect(latencies()).toEqual([25, 25, 25]);
    expect(await outcome).toMatchObject({ answered: 1, answeredLate: 2 });
  });

  it("end early, as a lower bound, when the open calls need more than a second", async () => {
    const { run } = slice(runsAll(5000), 100_000);
    const calls = new OpenCalls(run, 512);
    let ticks = 0;
    const outcome = calls.until(everyTenth, (nowMs) => {
      ticks += 1;
      for (let call = 0; call < 100; call++) calls.ask(nowMs);
    });
    await aMinute();
    expect(await outcome).toMatchObject({ isLowerBound: true, answered: 600, answeredLate: 0, elapsedMs: 5060 });
    expect(ticks).toBe(6);
  });

  it("reject if the lane fails", async () => {
    const { run } = slice(runsAll(1), 35);
    const lane = { ...run.lane, predict: () => Promise.reject(new Error("broken")) };
    const calls = new OpenCalls({ ...run, lane }, 512);
    const outcome = expect(calls.until(everyTenth, (nowMs) => calls.ask(nowMs))).rejects.toThrow("broken");
    await aMinute();
    await outcome;
  });
});
