import { afterEach, describe, expect, it, vi } from "vitest";
import { hostTimer } from "./host-timer.js";

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
