import { describe, expect, it } from "vitest";
import { Watchdog } from "./watchdog.js";
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
