import { describe, expect, it } from "vitest";
import { type WayBefore, WayStretch } from "./way-stretch.js";

/** A batch: when it was sent and answered, in milliseconds, and its items. */
type Times = readonly [sentAtMs: number, answeredAtMs: number, items?: number];

function stretch(before: WayBefore, times: readonly Times[]): WayStretch {
  const all = new WayStretch(before);
  for (const [sentAtMs, answeredAtMs, items = 1] of times) all.add({ items, sentAtMs, answeredAtMs });
  return all;
}

/** Batches one after the other, each of the given time, in milliseconds. */
function lasting(times: readonly number[], items = 1): readonly Times[] {
  let atMs = 0;
  return times.map((ms) => [atMs, (atMs += ms), items]);
}

const repeated = (count: number, ms: number) => Array.from({ length: count }, () => ms);

describe("a stretch of batches on one way", () => {
  it("counts the page's own work between batches", () => {
    const { msPerItem, isTelling } = stretch("ran", [
      [0, 18, 4],
      [20, 38, 4],
      [40, 58, 4],
    ]);
    expect([msPerItem, isTelling]).toEqual([(18 + 20) / 8, true]);
  });

  it("does not count the pauses of the user", () => {
    const { msPerItem, countedMs, tookMs } = stretch("ran", [
      [0, 20],
      [500, 520],
      [900, 920],
    ]);
    expect([msPerItem, countedMs, tookMs]).toEqual([20, 60, 60]);
  });

  it("counts the time of batches that overlap once", () => {
    const { msPerItem } = stretch("ran", [
      [0, 20],
      [18, 40],
      [38, 60],
    ]);
    expect(msPerItem).toBe(20);
  });

  it("does not count the first batch and 20 ms of a way that was idle", () => {
    const cold = [9, 11];
    const { msPerItem, countedMs, tookMs } = stretch("rested", lasting([...cold, 20, 20]));
    expect([msPerItem, countedMs, tookMs]).toEqual([20, 40, 60]);
    expect(stretch("rested", lasting([300, 20, 20])).countedMs).toBe(40);
  });

  it("tells of a way after three parts of 15 ms, or three longer batches", () => {
    expect(stretch("ran", lasting(repeated(8, 5))).isTelling).toBe(false);
    expect(stretch("ran", lasting(repeated(9, 5))).isTelling).toBe(true);
    expect(stretch("ran", lasting([300, 300])).isTelling).toBe(false);
    expect(stretch("ran", lasting([300, 300, 300])).isTelling).toBe(true);
  });

  it("is whole after 300 ms, and not before it tells", () => {
    expect(stretch("ran", lasting(repeated(59, 5))).isWhole).toBe(false);
    expect(stretch("ran", lasting(repeated(60, 5))).isWhole).toBe(true);
    expect(stretch("ran", lasting([300, 300])).isWhole).toBe(false);
    expect(stretch("ran", lasting([300, 300, 300])).isWhole).toBe(true);
  });

  it.each([0, 4, 59])("does not count a stall, be it in batch %i", (stalled) => {
    const times = repeated(60, 5).map((ms, batch) => (batch === stalled ? ms + 200 : ms));
    expect(stretch("ran", lasting(times, 4)).msPerItem).toBe(5 / 4);
  });

  it("counts what delays more than one part: a way whose threads wait for the page is slow", () => {
    const times = [...repeated(2, 5), 15, ...repeated(2, 5), 15, ...repeated(3, 5)];
    expect(stretch("ran", lasting(times)).msPerItem).toBe((25 + 15) / 6);
  });

  it("does not count a new way before it no longer becomes faster", () => {
    const part = (ms: number) => repeated(Math.ceil(15 / ms), ms);
    const parts = (count: number, ms: number) => Array.from({ length: count }, () => part(ms)).flat();
    const compiling = [25, ...part(13), ...part(10), ...part(4), ...part(2)];
    const { msPerItem, countedMs, tookMs, isTelling } = stretch("new", lasting([...compiling, ...parts(4, 2)]));
    expect([msPerItem, countedMs, tookMs, isTelling]).toEqual([2, 80, 80, true]);
    expect(stretch("new", lasting([...compiling, ...parts(3, 2)])).isTelling).toBe(false);
    // Parts that a busy machine delays begin nothing.
    expect(stretch("new", lasting([25, ...part(13), 41, ...part(10)])).countedMs).toBe(20);
  });

  it("waits 80 ms for a new way that is as fast as it gets", () => {
    // The first batches are those before 20 ms.
    const tells = (ms: number, batches: number) => stretch("new", lasting(repeated(batches, ms))).isTelling;
    expect([tells(15, 6), tells(15, 7)]).toEqual([false, true]);
    expect([tells(60, 3), tells(60, 4)]).toEqual([false, true]);
  });
});
