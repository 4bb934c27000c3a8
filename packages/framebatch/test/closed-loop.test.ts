import { describe, expect, it } from "vitest";
import { isBetterTogether, shareOfLoop } from "../src/core/closed-loop.js";
import type { Situation } from "../src/core/situation.js";

/** All callers are back; a run takes 8 ms and 1 ms a row, of which 0 ms are messages. */
const ROUND: Situation = {
  nowMs: 1,
  queued: 4,
  oldestAtMs: 1,
  othersWait: false,
  ratePerMs: 0,
  allowanceMs: 0,
  maxBatchSize: 16,
  freeSlots: 2,
  running: { batches: 0, rows: 0 },
  engines: 1,
  freeAtMs: 1,
  handoverMs: 0,
  bestSize: (queued) => Math.min(queued, 16),
  sufficientSize: () => 16,
  predictMs: (size) => 8 + size,
  marginMs: 0,
  overheadMs: 0,
  fixedMs: 8,
  grid: null,
  isHidden: false,
  isClosedLoop: true,
  haveReturned: true,
  msPerReturn: 0,
  isWholeDue: false,
  patience: 0,
  mustStartByMs: Infinity,
  aimMs: null,
  maxQueueDelayMs: 10,
};

const running = (...sizes: number[]) => ({
  running: { batches: sizes.length, rows: sizes.reduce((sum, size) => sum + size, 0) },
  freeAtMs: 20,
});
/** More of a run is messages than it would cost to run twice. */
const CHATTY: Partial<Situation> = { overheadMs: 5 };

type Case = readonly [what: string, situation: Partial<Situation>, expected: boolean];

describe("those who wait in a closed loop", () => {
  it.each<Case>([
    ["wait for the batch that runs, where two runs cost more than one", running(8), true],
    ["go where the engine is free", {}, false],
    ["go where messages cost more than a second run", { ...running(8), ...CHATTY }, false],
    ["go where somebody else may come", { ...running(8), haveReturned: false }, false],
    ["go where others wait behind them", { ...running(8), othersWait: true }, false],
    ["go where it is no closed loop", { ...running(8), isClosedLoop: false }, false],
    ["go where together they are too many", { ...running(13) }, false],
    ["go where they would be late", { ...running(8), mustStartByMs: 19 }, false],
    ["go while nothing is known of run times", { ...running(8), predictMs: null }, false],
    ["go while one of two engines is free", { ...running(8), engines: 2 }, false],
    ["wait for one of two engines", { ...running(8, 8), engines: 2 }, true],
    ["wait where a run of all is to be tried", { ...running(8), ...CHATTY, isWholeDue: true }, true],
  ])("%s", (_, situation, expected) => {
    expect(isBetterTogether({ ...ROUND, ...situation })).toBe(expected);
  });
});

type Share = readonly [what: string, situation: Partial<Situation>, expected: number];

describe("the share of a closed loop that leaves", () => {
  it.each<Share>([
    ["is all of it", { queued: 9 }, 9],
    ["is half of it where messages are worth hiding", { queued: 9, ...CHATTY }, 5],
    ["is half of it where callers take their time to ask again", { queued: 9, msPerReturn: 1 }, 5],
    ["is half of all, those who run included", { queued: 7, ...running(3), ...CHATTY }, 5],
    ["is no more than wait", { queued: 3, ...running(13), ...CHATTY }, 3],
    ["is a lone caller", { queued: 1, ...CHATTY }, 1],
    ["is an engine's part", { queued: 9, engines: 2 }, 5],
    ["is half of an engine's part", { queued: 16, engines: 2, ...CHATTY }, 4],
    ["is all where a run of all is to be tried", { queued: 9, ...CHATTY, isWholeDue: true }, 9],
    ["is all where others may come", { queued: 9, ...CHATTY, haveReturned: false }, 9],
    ["is all while nothing is known of run times", { queued: 9, ...CHATTY, predictMs: null }, 9],
  ])("%s", (_, situation, expected) => {
    expect(shareOfLoop({ ...ROUND, ...situation })).toBe(expected);
  });
});
