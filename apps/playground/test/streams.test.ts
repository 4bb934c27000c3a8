import { expect, it } from "vitest";
import { recentFigures } from "../src/scenes/streams/recent-figures.js";
import { KEPT, QUIET, StepLog, VOICE, WAITING } from "../src/scenes/streams/world/step-log.js";

it("a log keeps the latest steps, and ignores answers to those before", () => {
  const log = new StepLog();
  const first = log.begin(0.5);
  expect([log.count, log.loudness(first), log.fate(first)]).toEqual([1, 0.5, WAITING]);
  log.settle(first, VOICE);
  expect(log.fate(first)).toBe(VOICE);
  for (let step = 1; step <= KEPT; step++) log.begin(0.25);
  log.settle(first, QUIET);
  expect([log.count, log.fate(KEPT), log.loudness(KEPT)]).toEqual([KEPT + 1, WAITING, 0.25]);
});

it("the figures are those of the last second: what was heard of what was due, and how many streams shared a run", () => {
  // 32 streams are due 1,000 times a second.
  const half = { elapsedMs: 500, streams: 32, heard: 500, missed: 0, answerMs: 4, runs: 50 };
  const late = { ...half, heard: 125, missed: 375, answerMs: 250, runs: 125 };
  expect(recentFigures([half, half])).toEqual({ heardShare: 1, answerMs: 4, stepsPerSecond: 1000, together: 10 });
  expect(recentFigures([half, half, late, late])).toEqual({
    heardShare: 0.25,
    answerMs: 250,
    stepsPerSecond: 250,
    together: 1,
  });
});
