import { describe, expect, it } from "vitest";
import { Watchdog } from "../../src/time/watchdog.js";
import { StallGuard } from "../../src/worker/files/stall-guard.js";
import { ManualClock } from "../support/manual-clock.js";

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

describe("StallGuard", () => {
  it("does not treat a download as stalled if its bytes arrive while the runtime compiles", async () => {
    const clock = new ManualClock();
    const guard = new StallGuard(clock, () => new Error("stalled"));
    let arrive = (_bytes: string) => {};
    const arrival = new Promise<string>((resolve) => (arrive = resolve));
    const step = guard.watch(arrival, 2500);
    clock.advanceTo(2400);
    // The thread compiles for ten seconds. The timers that are due then run before the bytes arrive.
    clock.freezeUntil(12_400);
    clock.advanceTo(12_400);
    arrive("bytes");
    expect(await step).toBe("bytes");
    expect(guard.signal.aborted).toBe(false);
  });
});
