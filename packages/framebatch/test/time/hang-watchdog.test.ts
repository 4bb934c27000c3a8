import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HangWatchdog } from "../../src/time/hang-watchdog.js";
import { ManualClock } from "../support/manual-clock.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A watch, the timer that comes on time in a hidden tab, and how long it has said that the worker was silent. */
function watching(timeoutMs: number) {
  const clock = new ManualClock();
  const silences: number[] = [];
  const watch = new HangWatchdog(clock, (silentMs) => silences.push(silentMs));
  watch.start(timeoutMs);
  return { clock, silences, watch };
}

describe("a hang watch", () => {
  it("asks nothing of the timer for a run that is over before the first tick", () => {
    const { clock, silences, watch } = watching(10_000);
    vi.advanceTimersByTime(999);
    watch.stop();
    vi.advanceTimersByTime(60_000);
    expect([silences, clock.pending]).toEqual([[], 0]);
  });

  it("sets no timer for a run that begins before the first tick of the one before it", () => {
    const { silences, watch } = watching(10_000);
    for (let run = 0; run < 5; run++) {
      watch.stop();
      watch.start(10_000);
    }
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(silences).toEqual([0]);
  });

  it("ticks sooner for a run with less patience", () => {
    const { silences, watch } = watching(10_000);
    watch.stop();
    watch.start(500);
    vi.advanceTimersByTime(100);
    expect(silences).toEqual([0]);
  });

  it("waits once for the page's own timers, which may be late, and then ticks with the other", () => {
    const { clock, silences } = watching(10_000);
    vi.advanceTimersByTime(1000);
    clock.advanceTo(3000);
    expect(silences).toEqual([0, 1000, 2000, 3000]);
    vi.advanceTimersByTime(60_000);
    expect(silences).toHaveLength(4);
  });

  it("begins anew where the worker is heard, and ends where it is stopped", () => {
    const { clock, silences, watch } = watching(500);
    vi.advanceTimersByTime(100);
    clock.advanceTo(200);
    watch.heard();
    clock.advanceTo(300);
    expect(silences).toEqual([0, 100, 200, 0]);
    watch.stop();
    expect(clock.pending).toBe(0);
  });
});
