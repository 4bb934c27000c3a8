import { describe, expect, it } from "vitest";
import { WayStretch } from "./way-stretch.js";

/** Adds batches of `items`, each as [sent, answered] in milliseconds. */
function stretch(isWarm: boolean, items: number, times: readonly (readonly [number, number])[]): WayStretch {
  const all = new WayStretch(isWarm);
  for (const [sentAtMs, answeredAtMs] of times) all.add({ items, sentAtMs, answeredAtMs });
  return all;
}

describe("a stretch of batches on one way", () => {
  it("counts the page's own work between batches", () => {
    const { msPerItem, isWhole } = stretch(true, 4, [
      [0, 20],
      [23, 43],
      [45, 65],
    ]);
    expect([msPerItem, isWhole]).toEqual([65 / 12, true]);
  });

  it("does not count the pauses of the user", () => {
    const { msPerItem, isWhole } = stretch(true, 1, [
      [0, 20],
      [500, 520],
    ]);
    expect([msPerItem, isWhole]).toEqual([20, true]);
  });

  it("counts the time of batches that overlap once", () => {
    const { msPerItem } = stretch(true, 1, [
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
    expect(stretch(false, 1, cold).isWhole).toBe(false);
    const { msPerItem, isWhole } = stretch(false, 1, [...cold, ...whole]);
    expect([msPerItem, isWhole]).toEqual([49 / 3, true]);
    expect(stretch(false, 1, [[0, 300]]).isWhole).toBe(false);
  });

  it("is whole after 40 ms and two batches", () => {
    expect(stretch(true, 1, [[0, 300]]).isWhole).toBe(false);
    const three = [0, 13, 26].map((at) => [at, at + 13] as const);
    expect(stretch(true, 1, three).isWhole).toBe(false);
    expect(stretch(true, 1, [...three, [39, 40]]).isWhole).toBe(true);
  });
});
