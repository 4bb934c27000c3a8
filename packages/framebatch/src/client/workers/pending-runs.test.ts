import { beforeEach, describe, expect, it, vi } from "vitest";
import { PendingRuns, UNNUMBERED } from "./pending-runs.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";

const RUN = { timeoutMs: 10_000, isDivided: false };

function open() {
  const hung: number[] = [];
  const runs = new PendingRuns(hostTimer, (timeoutMs) => hung.push(timeoutMs), true);
  return { runs, hung };
}

describe("runs in flight", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it("are watched by a timer until the last one has ended", () => {
    const clock = new ManualClock();
    const runs = new PendingRuns(clock, () => expect.unreachable());
    const [first, second] = [1, 2].map(() => ({ ...UNNUMBERED, run: RUN }));
    for (const each of [first!, second!]) runs.opened(each);
    // The first tick is one of the page's own timer.
    vi.advanceTimersByTime(1000);
    runs.closed(first!);
    expect(clock.pending).toBe(1);
    runs.closed(second!);
    expect(clock.pending).toBe(0);
  });
});

describe("runs in a worker that other pages use too", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it("are not taken for the run that the worker executes while that is another page's", () => {
    const { runs } = open();
    runs.opened({ ...UNNUMBERED, run: RUN });
    expect([runs.current, runs.servesOthers]).toEqual([null, false]);
    runs.turn({ owner: "page", timeoutMs: 10_000 });
    expect([runs.current, runs.servesOthers]).toEqual([RUN, false]);
    runs.turn({ owner: "several", timeoutMs: 20_000 });
    expect([runs.current, runs.servesOthers]).toEqual([null, true]);
    runs.stop();
  });

  it("may wait for as long as the run of another page may take", () => {
    const { runs, hung } = open();
    runs.opened({ ...UNNUMBERED, run: RUN });
    runs.turn({ owner: "other", timeoutMs: 40_000 });
    vi.advanceTimersByTime(39_000);
    expect(hung).toEqual([]);
    vi.advanceTimersByTime(3000);
    expect(hung[0]).toBe(40_000);
    runs.stop();
  });

  it("do not count as hung while other pages have their turns", () => {
    const { runs, hung } = open();
    runs.opened({ ...UNNUMBERED, run: RUN });
    for (let turn = 0; turn < 20; turn += 1) {
      runs.turn({ owner: "other", timeoutMs: 10_000 });
      vi.advanceTimersByTime(9000);
    }
    expect(hung).toEqual([]);
    runs.stop();
  });
});

describe("a run that waits for the check of its worker", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  /** The check makes a run of one row, which takes `rowMs`, and then one of 32 rows, in which the worker is silent. */
  function waitBehindCheck(rowMs: number, silentMs: number): number[] {
    const { runs, hung } = open();
    runs.turn({ owner: "page", timeoutMs: 0 });
    runs.checking(1);
    vi.advanceTimersByTime(rowMs);
    runs.checking(0);
    runs.checking(32);
    runs.opened({ ...UNNUMBERED, run: { timeoutMs: 60_000, isDivided: false } });
    vi.advanceTimersByTime(silentMs);
    runs.stop();
    return hung;
  }

  it("may wait for as long as so many rows may take", () => {
    expect(waitBehindCheck(2000, 1_200_000)).toEqual([]);
    expect(waitBehindCheck(2000, 1_282_000)[0]).toBe(32 * 2000 * 20);
  });

  it("knows after its own time that the worker hangs, if so many rows take less", () => {
    expect(waitBehindCheck(8, 60_000)).toEqual([]);
    expect(waitBehindCheck(8, 62_000)[0]).toBe(60_000);
  });
});

describe("runs of items that overtake each other", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  const earlier = { timeoutMs: 10_000, isDivided: false };
  const later = { timeoutMs: 10_000, isDivided: false };

  function overtaken() {
    const hung: unknown[] = [];
    const runs = new PendingRuns(hostTimer, (_timeoutMs, culprit) => hung.push(culprit));
    runs.opened({ ...UNNUMBERED, run: earlier, firstItem: 1 });
    const second = { ...UNNUMBERED, run: later, firstItem: 2 };
    runs.opened(second);
    return { runs, second, hung };
  }

  it("take the blame while they execute, until they are answered or the earlier one begins", () => {
    const { runs, second } = overtaken();
    expect(runs.current).toBe(earlier);
    runs.executing(2);
    expect(runs.current).toBe(later);
    runs.executing(1);
    expect(runs.current).toBe(earlier);
    runs.executing(2);
    runs.closed(second);
    expect(runs.current).toBe(earlier);
    runs.stop();
  });

  it("have hung when they execute for longer than their timeout", () => {
    const { runs, hung } = overtaken();
    runs.executing(2);
    vi.advanceTimersByTime(12_000);
    expect(hung[0]).toBe(later);
    runs.stop();
  });

  it("do not hide that preprocess of the earlier run never ends", () => {
    const { runs, hung } = overtaken();
    vi.advanceTimersByTime(8000);
    runs.executing(2);
    vi.advanceTimersByTime(4000);
    expect(hung[0]).toBe(earlier);
    runs.stop();
  });
});
