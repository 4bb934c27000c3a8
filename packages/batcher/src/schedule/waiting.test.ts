import { ManualFrames } from "@framebatch/host/test/manual-frames.js";
import { describe, expect, it } from "vitest";
import { Ageing } from "../queue/request-queue.js";
import { Alarm } from "./alarm.js";
import { Arrivals } from "./arrivals.js";
import type { Decision, FreeWait } from "../decide/decide.js";
import { WaitPayoff } from "./situation-now.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";

const dispatch = (free: FreeWait | null): Decision => ({ action: "dispatch", size: 1, reason: "idle", free });

describe("ageing", () => {
  it("gives the oldest request its turn after every seven batches with another leader", () => {
    const ageing = new Ageing();
    for (let round = 0; round < 2; round++) {
      for (let batch = 0; batch < 7; batch++) {
        expect(ageing.isDue).toBe(false);
        ageing.batchDispatched(false);
      }
      expect(ageing.isDue).toBe(true);
      ageing.batchDispatched(true);
    }
    expect(ageing.isDue).toBe(false);
  });
});

describe("the payoff of waits", () => {
  /** Records a dispatched batch that could have waited until `untilMs`. */
  const opened = (ledger: WaitPayoff, untilMs: number): void =>
    ledger.decided(dispatch({ untilMs, frameMs: untilMs + 8 }));

  /** A payoff record with this many opportunities of 10 ms, each with this many joins. */
  function seen(opportunities: number, joins: number, ledger = new WaitPayoff(), fromMs = 0): WaitPayoff {
    for (let index = 0; index < opportunities; index++) {
      const startMs = fromMs + 20 * index;
      opened(ledger, startMs + 10);
      for (let join = 0; join < joins; join++) ledger.arrived(startMs + 5);
      ledger.arrived(startMs + 15);
    }
    opened(ledger, fromMs + 20 * opportunities);
    return ledger;
  }

  it("is denied before any request arrived in time", () => {
    expect(new WaitPayoff().doPayOff).toBe(false);
    expect(seen(100, 0).doPayOff).toBe(false);
  });

  it("is learned when enough requests arrive in time", () => {
    expect(seen(16, 2).doPayOff).toBe(true);
  });

  it("is denied for good when requests no longer join", () => {
    const ledger = seen(16, 2);
    const verdicts = Array.from({ length: 50 }, (_, round) => seen(1, 0, ledger, 1000 + 100 * round).doPayOff);
    expect(verdicts[0]).toBe(true);
    expect(verdicts.slice(verdicts.indexOf(false))).not.toContain(true);
    expect(verdicts.at(-1)).toBe(false);
  });

  it("counts at most two joins per opportunity, so that a large burst is forgotten soon", () => {
    const untilGone = (ledger: WaitPayoff): number => {
      let opportunities = 0;
      for (; ledger.doPayOff; opportunities++) opened(ledger, 0);
      return opportunities;
    };
    expect(untilGone(seen(16, 1000))).toBe(untilGone(seen(16, 2)));
  });
});

describe("arrivals", () => {
  it("have a rate that decays when no requests arrive", () => {
    const arrivals = new Arrivals();
    expect(arrivals.ratePerMs(0)).toBe(0);
    for (let nowMs = 0; nowMs <= 1000; nowMs += 4) arrivals.arrived(nowMs);
    expect(arrivals.ratePerMs(1000)).toBeGreaterThan(0.24);
    expect(arrivals.ratePerMs(1000)).toBeLessThan(0.26);
    expect(arrivals.ratePerMs(1100)).toBeCloseTo(arrivals.ratePerMs(1000) / Math.E, 9);
  });

  it("count as returns up to the number of answered callers, however long the page takes", () => {
    const arrivals = new Arrivals();
    arrivals.answered(3, 10);
    expect(arrivals.returned).toBe(0);
    expect([10, 12, 30].map((nowMs) => arrivals.arrived(nowMs))).toEqual([true, true, true]);
    expect([arrivals.returned, arrivals.haveReturned]).toEqual([Infinity, true]);
    expect(arrivals.arrived(30)).toBe(false);
  });

  it("count as returns for two batches that are answered in one task", () => {
    const arrivals = new Arrivals();
    arrivals.answered(2, 10);
    arrivals.arrived(10);
    arrivals.answered(2, 10);
    expect([10, 10, 10, 10].map((nowMs) => arrivals.arrived(nowMs))).toEqual([true, true, true, false]);
  });

  it("no longer count as returned once another request arrives", () => {
    const arrivals = new Arrivals();
    arrivals.answered(1, 10);
    arrivals.arrived(10);
    expect(arrivals.haveReturned).toBe(true);
    arrivals.arrived(10);
    expect(arrivals.haveReturned).toBe(false);
  });

  it("measure the time per returning caller", () => {
    const arrivals = new Arrivals();
    for (let round = 0; round < 400; round++) {
      arrivals.answered(2, 10 * round);
      arrivals.arrived(10 * round + 0.1);
      arrivals.arrived(10 * round + 0.2);
    }
    expect(arrivals.msPerReturn).toBeCloseTo(0.1, 5);
  });

  it("do not count as returns after the end of the returns", () => {
    const arrivals = new Arrivals();
    arrivals.answered(1, 20);
    arrivals.endReturns();
    expect(arrivals.arrived(20)).toBe(false);
    expect([arrivals.returned, arrivals.haveReturned]).toEqual([0, false]);
  });

  it("are a closed loop until some requests follow no answer, and again once nearly all do", () => {
    const arrivals = new Arrivals();
    const come = (isReturn: boolean): void => {
      arrivals.answered(1, 10);
      if (!isReturn) arrivals.endReturns();
      arrivals.arrived(10);
    };
    expect(arrivals.isClosedLoop).toBe(true);
    for (let caller = 0; caller < 4; caller++) come(false);
    expect(arrivals.isClosedLoop).toBe(false);
    for (let caller = 0; caller < 20; caller++) come(true);
    expect(arrivals.isClosedLoop).toBe(true);
  });

  it("that come in an isolated burst may be the callers of a closed loop, until others follow while they are served", () => {
    const arrivals = new Arrivals();
    const burst = (nowMs: number, isAtRest: boolean) => {
      arrivals.burstBegan(nowMs, isAtRest);
      for (let caller = 0; caller < 16; caller++) arrivals.arrived(nowMs);
    };
    burst(0, true);
    expect(arrivals.isClosedLoop).toBe(true);
    burst(1, false);
    expect(arrivals.isClosedLoop).toBe(false);
  });

  it("are no isolated burst any more once the first caller has returned", () => {
    const arrivals = new Arrivals();
    arrivals.burstBegan(0, true);
    for (let caller = 0; caller < 16; caller++) arrivals.arrived(0);
    arrivals.answered(1, 4);
    expect(arrivals.isBurstAlone(0)).toBe(true);
    arrivals.arrived(4);
    expect(arrivals.isBurstAlone(0)).toBe(false);
  });

  it("are an isolated burst if it found nothing queued or running", () => {
    const arrivals = new Arrivals();
    const alone = [0, 30, 60].map((nowMs) => {
      arrivals.burstBegan(nowMs, true);
      return arrivals.isBurstAlone(nowMs);
    });
    expect(alone).toEqual([true, true, true]);
    arrivals.burstBegan(90, false);
    expect(arrivals.isBurstAlone(90)).toBe(false);
  });

  it("are no isolated burst if bursts come in every frame, or if older requests are queued", () => {
    const arrivals = new Arrivals();
    for (let frame = 0; frame < 10; frame++) arrivals.burstBegan(16 * frame, true);
    expect(arrivals.isBurstAlone(144)).toBe(false);
    for (let burst = 0; burst < 10; burst++) arrivals.burstBegan(200 + 40 * burst, true);
    expect([arrivals.isBurstAlone(520), arrivals.isBurstAlone(560)]).toEqual([false, true]);
  });
});

describe("the alarm", () => {
  function alarm() {
    const clock = new ManualClock();
    const rings: number[] = [];
    const frames = new ManualFrames();
    return { clock, frames, rings, alarm: new Alarm(clock, frames, () => void rings.push(clock.now())) };
  }

  it("fires once, at the last of the times that it was set for", () => {
    const { clock, rings, alarm: set } = alarm();
    for (const atMs of [20, 10, 15]) set.setFor(atMs);
    expect(clock.pending).toBe(1);
    clock.advanceTo(14.999);
    expect(rings).toEqual([]);
    clock.advanceTo(100);
    expect(rings).toEqual([15]);
  });

  it("does not fire once it is cleared", () => {
    const { clock, rings, alarm: set } = alarm();
    set.setFor(10);
    set.clear();
    expect(clock.pending).toBe(0);
    clock.advanceTo(100);
    expect(rings).toEqual([]);
  });

  it("also fires when the tab is hidden or shown, and listens only while it is set", () => {
    const { clock, frames, rings, alarm: set } = alarm();
    expect(frames.listeners).toBe(0);
    set.setFor(10);
    frames.set(true);
    expect([rings, frames.listeners, clock.pending]).toEqual([[0], 0, 0]);
    set.setFor(10);
    set.clear();
    frames.set(false);
    expect([rings, frames.listeners]).toEqual([[0], 0]);
  });

  it("gets a timer of the new kind if it is set again when the tab is shown: one of a hidden tab fires late", () => {
    const { clock, frames } = alarm();
    const timers: number[] = [];
    const schedule = (atMs: number, callback: () => void) => {
      timers.push(atMs);
      return clock.schedule(atMs, callback);
    };
    const { now } = clock;
    const set: Alarm = new Alarm({ now, schedule }, frames, () => set.setFor(10));
    set.setFor(10);
    frames.set(false);
    expect([timers, clock.pending]).toEqual([[10, 10], 1]);
  });
});
