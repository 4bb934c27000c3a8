import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hostTimer, pageClock } from "./host-timer.js";

/** Hosts store a delay in 32 bits, and treat a larger delay as 0. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** A host whose clock stands at `nowMs`, and whose timers ring when the test says so. */
function host(nowMs: number) {
  const page = { nowMs, delays: [] as number[], ring: (): void => undefined };
  vi.spyOn(performance, "now").mockImplementation(() => page.nowMs);
  vi.stubGlobal("setTimeout", (callback: () => void, delayMs: number) => {
    page.delays.push(delayMs);
    page.ring = callback;
  });
  return page;
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("a timer of the host", () => {
  it("rounds a delay up, because hosts drop the fraction", () => {
    const page = host(100.25);
    hostTimer.schedule(108.5, () => undefined);
    expect(page.delays).toEqual([9]);
  });

  it("never calls back early: a timer that rings early is set again", () => {
    const page = host(100);
    const called: number[] = [];
    hostTimer.schedule(108.5, () => called.push(page.nowMs));
    page.nowMs = 108.1;
    page.ring();
    expect([called, page.delays]).toEqual([[], [9, 1]]);
    page.nowMs = 109.2;
    page.ring();
    expect(called).toEqual([109.2]);
  });
});

describe("the page's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it("defect 20: calls back on time after a delay beyond 32 bits, and sets no timer that the host cannot hold", () => {
    const delays = vi.spyOn(globalThis, "setTimeout");
    const atMs = pageClock.now() + 2.5 * MAX_DELAY_MS;
    let calledAtMs: number | null = null;
    pageClock.schedule(atMs, () => void (calledAtMs = pageClock.now()));
    vi.advanceTimersByTime(2.4 * MAX_DELAY_MS);
    expect(calledAtMs).toBeNull();
    vi.advanceTimersByTime(MAX_DELAY_MS);
    expect(Math.abs((calledAtMs ?? 0) - atMs)).toBeLessThan(2);
    expect(delays.mock.calls.map(([, delayMs]) => delayMs)).toHaveLength(3);
    for (const [, delayMs] of delays.mock.calls) expect(delayMs).toBeLessThanOrEqual(MAX_DELAY_MS);
  });

  it("cancels a timer that it had to set again", () => {
    const cancel = pageClock.schedule(pageClock.now() + 1.5 * MAX_DELAY_MS, () => expect.unreachable());
    vi.advanceTimersByTime(1.2 * MAX_DELAY_MS);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes one turn of the microtasks after the other for as long as the callback asks for it", async () => {
    const seen: string[] = [];
    let left = 3;
    pageClock.afterMicrotasks(() => {
      seen.push(`turn ${left}`);
      return --left > 0;
    });
    for (let turn = 0; turn < 4; turn++) {
      await Promise.resolve();
      seen.push("another");
    }
    expect(seen).toEqual(["turn 3", "another", "turn 2", "another", "turn 1", "another", "another"]);
  });

  it("takes no further turn once it is cancelled, even within one", async () => {
    let turns = 0;
    const cancel = pageClock.afterMicrotasks(() => {
      turns += 1;
      if (turns === 2) cancel();
      return true;
    });
    pageClock.afterMicrotasks(() => expect.unreachable())();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect(turns).toBe(2);
  });
});
