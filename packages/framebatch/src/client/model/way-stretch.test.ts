import { describe, expect, it } from "vitest";
import { type WayBefore, WayStretch } from "./way-stretch.js";

/** Adds batches of `items`, each as [sent, answered] in milliseconds. */
function stretch(before: WayBefore, items: number, times: readonly (readonly [number, number])[]): WayStretch {
  const all = new WayStretch(before);
  for (const [sentAtMs, answeredAtMs] of times) all.add({ items, sentAtMs, answeredAtMs });
  return all;
}

describe("a stretch of batches on one way", () => {
  it("counts the page's own work between batches", () => {
    const { msPerItem, isWhole } = stretch("ran", 4, [
      [0, 20],
      [23, 43],
      [45, 65],
    ]);
    expect([msPerItem, isWhole]).toEqual([65 / 12, true]);
  });

  it("does not count the pauses of the user", () => {
    const { msPerItem, isWhole } = stretch("ran", 1, [
      [0, 20],
      [500, 520],
    ]);
    expect([msPerItem, isWhole]).toEqual([20, true]);
  });

  it("counts the time of batches that overlap once", () => {
    const { msPerItem } = stretch("ran", 1, [
      [0, 20],
      [18, 40],
    ]);
    expect(msPerItem).toBe(20);
  });

  it("does not count the first batch and 20 ms of a way that was idle", () => {
    const cold = [
      [0, 9],
      [9, 18],
      [18, 27],
    ] as const;
    const whole = [
      [27, 47],
      [47, 67],
    ] as const;
    expect(stretch("rested", 1, cold).isWhole).toBe(false);
    const { msPerItem, isWhole } = stretch("rested", 1, [...cold, ...whole]);
    expect([msPerItem, isWhole]).toEqual([49 / 3, true]);
    expect(stretch("rested", 1, [[0, 300]]).isWhole).toBe(false);
  });

  it("is whole after 40 ms and two batches", () => {
    expect(stretch("ran", 1, [[0, 300]]).isWhole).toBe(false);
    const three = [0, 13, 26].map((at) => [at, at + 13] as const);
    expect(stretch("ran", 1, three).isWhole).toBe(false);
    expect(stretch("ran", 1, [...three, [39, 40]]).isWhole).toBe(true);
  });

  it("does not count a new way before it no longer becomes faster", () => {
    /** Batches one after the other, each of the given time. */
    const lasting = (times: readonly number[]) => {
      let atMs = 0;
      return times.map((ms) => [atMs, (atMs += ms)] as const);
    };
    const part = (ms: number) => Array.from({ length: Math.ceil(40 / ms) }, () => ms);
    const compiling = [25, ...part(13), ...part(10), ...part(4), ...part(2)];
    const almost = stretch("new", 1, lasting([...compiling, ...part(2)]));
    expect([almost.isWhole, almost.warmingMs]).toEqual([false, 212]);
    const whole = stretch("new", 1, lasting([...compiling, ...part(2), ...part(2)]));
    expect([whole.isWhole, whole.msPerItem, whole.warmingMs]).toEqual([true, 2, 212]);
    // One part that a busy machine delays does not end the wait.
    const delayed = stretch("new", 1, lasting([25, ...part(13), 41, 10, ...part(10), ...part(10)]));
    expect(delayed.isWhole).toBe(false);
  });

  it("takes three parts of a new way that is as fast as it gets, and one of batches that take half a part", () => {
    const steady = (ms: number, batches: number) =>
      stretch(
        "new",
        1,
        Array.from({ length: batches }, (_, batch) => [batch * ms, batch * ms + ms] as const),
      );
    // The first batches are those before 20 ms.
    expect([steady(10, 13).isWhole, steady(10, 14).isWhole]).toEqual([false, true]);
    expect([steady(30, 2).isWhole, steady(30, 3).isWhole]).toEqual([false, true]);
  });
});
