import { describe, expect, it, afterEach, beforeEach, vi } from "vitest";
import { Watchdog, HangWatchdog } from "./watchdog.js";
import { ManualClock } from "../test/support/manual-clock.js";

function watch(timeoutMs: number) {
  const clock = new ManualClock();
  const stalls: number[] = [];
  const timer = new Watchdog(clock, timeoutMs, (ms) => stalls.push(ms));
  return { clock, stalls, timer };
}

describe("Watchdog", () => {
  it("fires once, after the full timeout and at most a tenth more", () => {
    const { clock, stalls } = watch(1000);
    clock.advanceTo(1000);
    expect(stalls).toEqual([]);
    clock.advanceTo(1100);
    expect(stalls).toEqual([1000]);
    expect(clock.pending).toBe(0);
  });

  it("restarts when restart() is called, with the new timeout", () => {
    const { clock, stalls, timer } = watch(1000);
    clock.advanceTo(900);
    timer.restart(5000);
    clock.advanceTo(5900);
    expect(stalls).toEqual([]);
    clock.advanceTo(6900);
    expect(stalls).toEqual([5000]);
  });

  it("excludes the time in which its thread was blocked", () => {
    const { clock, stalls, timer } = watch(1000);
    clock.advanceTo(900);
    clock.freezeUntil(60_000);
    clock.advanceTo(60_000);
    expect(stalls).toEqual([]);
    timer.stop();
    expect(clock.pending).toBe(0);
  });
});

/** A watchdog, the clock whose timers fire on time in a hidden tab, and the reported silences in milliseconds. */
function watching(timeoutMs: number) {
  const clock = new ManualClock();
  const silences: number[] = [];
  const watchdog = new HangWatchdog(clock, (silentMs) => silences.push(silentMs));
  watchdog.start(timeoutMs);
  return { clock, silences, watchdog };
}

describe("a hang watchdog", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("sets no timer on the clock for a run that ends before the first tick", () => {
    const { clock, silences, watchdog } = watching(10_000);
    vi.advanceTimersByTime(999);
    watchdog.stop();
    vi.advanceTimersByTime(60_000);
    expect([silences, clock.pending]).toEqual([[], 0]);
  });

  it("sets no further timer for a run that starts before the first tick of the previous one", () => {
    const { silences, watchdog } = watching(10_000);
    for (let run = 0; run < 5; run++) {
      watchdog.stop();
      watchdog.start(10_000);
    }
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(silences).toEqual([0]);
  });

  it("ticks earlier for a run with a shorter timeout", () => {
    const { silences, watchdog } = watching(10_000);
    watchdog.stop();
    watchdog.start(500);
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
    const { clock, silences, watchdog } = watching(500);
    vi.advanceTimersByTime(100);
    clock.advanceTo(200);
    watchdog.heard();
    clock.advanceTo(300);
    expect(silences).toEqual([0, 100, 200, 0]);
    watchdog.stop();
    expect(clock.pending).toBe(0);
  });
});
