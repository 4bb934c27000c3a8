import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isolatedBursts } from "../src/loads/isolated-bursts.js";
import { aMinute } from "./support/fake-time.js";
import { runsAll, slice } from "./support/open-slice.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("isolated bursts", () => {
  it("start after a pause, when all calls of the previous burst are answered", async () => {
    let open = 0;
    const openAtCall: number[] = [];
    const answer = runsAll(10);
    const { run } = slice((item, options) => {
      openAtCall.push(open++);
      return answer(item, options).finally(() => open--);
    }, 60);
    const outcome = isolatedBursts(2).drive(run);
    await aMinute();
    const { bursts = [], answered } = await outcome;
    expect(bursts.length).toBeGreaterThan(1);
    expect(answered).toBe(2 * bursts.length);
    expect(openAtCall).toEqual(bursts.flatMap(() => [0, 1]));
  });

  it("report the first and the last answer of each burst and count only the time within bursts", async () => {
    const delaysMs = [5, 30];
    let calls = 0;
    const { run, latencies } = slice(() => new Promise((resolve) => setTimeout(resolve, delaysMs[calls++ % 2])), 1);
    const outcome = isolatedBursts(2).drive(run);
    await aMinute();
    expect(await outcome).toMatchObject({ answered: 2, elapsedMs: 30, bursts: [{ firstMs: 5, lastMs: 30 }] });
    expect(latencies()).toEqual([5, 30]);
  });
});
