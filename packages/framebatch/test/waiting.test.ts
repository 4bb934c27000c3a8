import { describe, expect, it } from "vitest";
import { Ageing } from "../src/core/ageing.js";
import { Alarm } from "../src/core/alarm.js";
import { Arrivals } from "../src/core/arrivals.js";
import { RunAllowance } from "../src/core/run-allowance.js";
import { WaitLedger } from "../src/core/wait-ledger.js";
import { ManualClock } from "./support/manual-clock.js";

describe("ageing", () => {
  it("is the oldest's turn after seven batches that others led, and then after seven more", () => {
    const ageing = new Ageing();
    for (let round = 0; round < 2; round++) {
      for (let batch = 0; batch < 7; batch++) {
        expect(ageing.isDue).toBe(false);
        ageing.batchLeft(false);
      }
      expect(ageing.isDue).toBe(true);
      ageing.batchLeft(true);
    }
    expect(ageing.isDue).toBe(false);
  });
});

describe("the ledger of waits", () => {
  it("has waits that nobody joins grow shorter, and then stop", () => {
    const ledger = new WaitLedger();
    const shares: number[] = [];
    for (let wait = 0; wait < 25; wait++) {
      shares.push(ledger.patience());
      ledger.waited(0);
    }
    expect(shares[0]).toBe(1);
    expect(shares.toSorted((a, b) => b - a)).toEqual(shares);
    expect(shares.some((share) => share > 0 && share < 1)).toBe(true);
    expect(ledger.patience()).toBe(0);
  });

  /** How many chances pass before a wait is tried again. */
  function chancesUntilRetry(ledger: WaitLedger): number {
    let chances = 0;
    for (; ledger.patience() === 0; chances++) ledger.passed();
    return chances;
  }

  it("tries again after 32 chances, and after twice as many each time that nobody joins, up to 512", () => {
    const ledger = new WaitLedger();
    while (ledger.patience() > 0) ledger.waited(0);
    const intervals: number[] = [];
    for (let retry = 0; retry < 6; retry++) {
      intervals.push(chancesUntilRetry(ledger));
      ledger.waited(0);
    }
    expect(intervals).toEqual([32, 64, 128, 256, 512, 512]);
  });

  it("waits in full again as soon as somebody joins one", () => {
    const ledger = new WaitLedger();
    while (ledger.patience() > 0) ledger.waited(0);
    for (let retry = 0; retry < 3; retry++) {
      chancesUntilRetry(ledger);
      ledger.waited(retry === 2 ? 1 : 0);
    }
    expect(ledger.patience()).toBe(1);
    while (ledger.patience() > 0) ledger.waited(0);
    expect(chancesUntilRetry(ledger)).toBe(32);
  });

  it("takes a crowd in one wait for no more than two, so that it is soon forgotten", () => {
    const [crowd, pair] = [new WaitLedger(), new WaitLedger()];
    crowd.waited(1000);
    pair.waited(2);
    const waitsLeft = (ledger: WaitLedger): number => {
      let waits = 0;
      for (; ledger.patience() > 0; waits++) ledger.waited(0);
      return waits;
    };
    expect(waitsLeft(crowd)).toBe(waitsLeft(pair));
  });
});

describe("the allowance for runs that leave early", () => {
  it("stays below 7 % of the time that runs take", () => {
    const allowance = new RunAllowance();
    let [ran, spent] = [0, 0];
    for (let run = 0; run < 1000; run++) {
      allowance.earned(10);
      ran += 10;
      if (allowance.ms < 8) continue;
      allowance.spent(8);
      spent += 8;
    }
    expect(spent).toBeGreaterThan(0.06 * ran);
    expect(spent).toBeLessThanOrEqual(0.07 * ran);
  });

  it("is saved up for no more than 32 runs", () => {
    const allowance = new RunAllowance();
    for (let run = 0; run < 1000; run++) allowance.earned(10);
    expect(allowance.ms).toBeCloseTo(32 * 0.7, 9);
  });
});

describe("arrivals", () => {
  it("have a rate, which fades when nobody comes", () => {
    const arrivals = new Arrivals();
    expect(arrivals.ratePerMs(0)).toBe(0);
    for (let nowMs = 0; nowMs <= 1000; nowMs += 4) arrivals.arrived(nowMs);
    expect(arrivals.ratePerMs(1000)).toBeGreaterThan(0.24);
    expect(arrivals.ratePerMs(1000)).toBeLessThan(0.26);
    expect(arrivals.ratePerMs(1100)).toBeCloseTo(arrivals.ratePerMs(1000) / Math.E, 9);
  });

  it("are returns while as many come as were answered, each a quarter of a millisecond after another at most", () => {
    const arrivals = new Arrivals();
    arrivals.answered(3, 10);
    expect(arrivals.areReturning(10)).toBe(false);
    arrivals.arrived(10.25);
    expect(arrivals.areReturning(10.25)).toBe(true);
    arrivals.arrived(10.5);
    expect(arrivals.haveReturned).toBe(false);
    arrivals.arrived(10.75);
    expect(arrivals.haveReturned).toBe(true);
    expect(arrivals.areReturning(11.01)).toBe(false);
  });

  it("have returned only until somebody else comes", () => {
    const arrivals = new Arrivals();
    arrivals.answered(1, 10);
    arrivals.arrived(10);
    expect(arrivals.haveReturned).toBe(true);
    arrivals.arrived(10);
    expect(arrivals.haveReturned).toBe(false);
  });

  it("may come back later where handing the results out took its time", () => {
    const arrivals = new Arrivals();
    arrivals.answered(1, 10);
    arrivals.haveHeard(11);
    arrivals.arrived(11.25);
    expect(arrivals.haveReturned).toBe(true);
  });

  it("tell how long a caller takes to hear and to ask again", () => {
    const arrivals = new Arrivals();
    for (let round = 0; round < 400; round++) {
      arrivals.answered(2, 10 * round);
      arrivals.arrived(10 * round + 0.1);
      arrivals.arrived(10 * round + 0.2);
    }
    expect(arrivals.msPerReturn).toBeCloseTo(0.1, 5);
  });

  it("that come too late are no returns", () => {
    const arrivals = new Arrivals();
    arrivals.answered(1, 20);
    arrivals.arrived(20.26);
    expect(arrivals.haveReturned).toBe(false);
  });

  it("are a closed loop at once when eight that were answered together are all back", () => {
    const arrivals = new Arrivals();
    for (let caller = 0; caller < 64; caller++) arrivals.arrived(caller);
    arrivals.answered(8, 100);
    for (let caller = 0; caller < 7; caller++) arrivals.arrived(100);
    expect(arrivals.isClosedLoop).toBe(false);
    arrivals.arrived(100);
    expect(arrivals.isClosedLoop).toBe(true);
    arrivals.arrived(100);
    expect(arrivals.isClosedLoop).toBe(false);
  });

  it("are a closed loop until some come who have not just been answered, and again once nearly all have", () => {
    const arrivals = new Arrivals();
    let nowMs = 0;
    const come = (afterMs: number): void => {
      arrivals.answered(1, nowMs);
      arrivals.arrived(nowMs + afterMs);
      nowMs += 10;
    };
    expect(arrivals.isClosedLoop).toBe(true);
    for (let caller = 0; caller < 4; caller++) come(3);
    expect(arrivals.isClosedLoop).toBe(false);
    for (let caller = 0; caller < 20; caller++) come(0.2);
    expect(arrivals.isClosedLoop).toBe(true);
  });
});

describe("the alarm", () => {
  function alarm() {
    const clock = new ManualClock();
    const rings: number[] = [];
    return { clock, rings, alarm: new Alarm(clock, () => void rings.push(clock.now())) };
  }

  it("rings once, at the earliest of what it was set for", () => {
    const { clock, rings, alarm: set } = alarm();
    for (const atMs of [20, 10, 15]) set.setFor(atMs);
    expect(clock.pending).toBe(1);
    clock.advanceTo(9.999);
    expect(rings).toEqual([]);
    clock.advanceTo(100);
    expect(rings).toEqual([10]);
  });

  it("does not ring once it is cleared, or set for never", () => {
    const { clock, rings, alarm: set } = alarm();
    set.setFor(10);
    set.clear();
    set.setFor(20);
    set.setFor(Infinity);
    expect(clock.pending).toBe(0);
    clock.advanceTo(100);
    expect(rings).toEqual([]);
  });

  it("remembers how late it came until that is eased, and not by ringing on time", () => {
    const { clock, alarm: set } = alarm();
    set.setFor(10);
    clock.freezeUntil(14);
    clock.advanceTo(14);
    set.setFor(20);
    clock.advanceTo(20);
    expect(set.latenessMs).toBe(4);
    for (let batch = 0; batch < 50; batch++) set.ease();
    expect(set.latenessMs).toBeLessThan(0.05);
  });
});
