import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HangWatchdog } from "./hang-watchdog.js";
import { ManualClock } from "../test/support/manual-clock.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A watchdog, the clock whose timers fire on time in a hidden tab, and the reported silences in milliseconds. */
function watching(timeoutMs: number) {
  const clock = new ManualClock();
  const silences: number[] = [];
  const watch = new HangWatchdog(clock, (silentMs) => silences.push(silentMs));
  watch.start(timeoutMs);
  return { clock, silences, watch };
}

describe("a hang watchdog", () => {
  it("sets no timer on the clock for a run that ends before the first tick", () => {
    const { clock, silences, watch } = watching(10_000);
    vi.advanceTimersByTime(999);
    watch.stop();
    vi.advanceTimersByTime(60_000);
    expect([silences, clock.pending]).toEqual([[], 0]);
  });

  it("sets no further timer for a run that starts before the first tick of the previous one", () => {
    const { silences, watch } = watching(10_000);
    for (let run = 0; run < 5; run++) {
      watch.stop();
      watch.start(10_000);
    }
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(silences).toEqual([0]);
  });

  it("ticks earlier for a run with a shorter timeout", () => {
    const { silences, watch } = watching(10_000);
    watch.stop();
    watch.start(500);
    vi.advanceTimersByTime(100);
    expect(silences).toEqual([0]);
  });

  it("uses the page's own timer, which may be late, only for the first tick, and the clock afterwards", () => {
    const { clock, silences } = watching(10_000);
    vi.advanceTimersByTime(1000);
    clock.advanceTo(3000);
    expect(silences).toEqual([0, 1000, 2000, 3000]);
    vi.advanceTimersByTime(60_000);
    expect(silences).toHaveLength(4);
  });

  it("restarts when the worker responds, and ends when it is stopped", () => {
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
