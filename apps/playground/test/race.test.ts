import { expect, test } from "vitest";
import { paceOf, RACE_MS, replay } from "../src/evidence/race.js";
import { raceOf } from "../src/measure/race-pair.js";
import type { Recording } from "../src/measure/recording.js";

/** Answers in three batches of two. A block of the main thread drops two frames before 80 ms. */
const RECORDING: Recording = {
  durationMs: 100,
  answersMs: [20, 20, 60, 60, 100, 100],
  frames: [
    { atMs: 10, dropped: 0 },
    { atMs: 30, dropped: 0 },
    { atMs: 80, dropped: 2 },
  ],
};

test("answers arrive at their recorded times", () => {
  const answers = [0, 19, 20, 59, 60, 99].map((elapsedMs) => replay(RECORDING, elapsedMs).answers);
  expect(answers).toEqual([0, 0, 2, 2, 4, 4]);
});

test("a recording that is shorter than the race repeats", () => {
  const answers = [100, 119, 120, 160, 200, 1000].map((elapsedMs) => replay(RECORDING, elapsedMs).answers);
  expect(answers).toEqual([6, 6, 8, 10, 12, 60]);
  expect(replay(RECORDING, 150).dropped).toBe(2);
  expect(replay(RECORDING, 180).dropped).toBe(4);
});

test("the mark moves only when a frame starts, and stops while frames are dropped", () => {
  const marks = [0, 9, 10, 29, 30, 79, 80, 99].map((elapsedMs) => replay(RECORDING, elapsedMs).mark);
  expect(marks).toEqual([0, 0, 0.01, 0.01, 0.03, 0.03, 0.08, 0.08]);
});

test("the mark returns at the end of its track", () => {
  const marks = [500, 1000, 1500, 2000, RACE_MS].map((elapsedMs) => replay(RECORDING, elapsedMs).mark);
  expect(marks).toEqual([0.5, 1, 0.5, 0, 1]);
});

test("a recording that is longer than the race ends with it", () => {
  const slow: Recording = { durationMs: 4000, answersMs: [1000, 2500, 4000], frames: [{ atMs: 2000, dropped: 3 }] };
  expect(replay(slow, RACE_MS)).toEqual({ answers: 2, dropped: 3, mark: 0 });
});

test("a recording without answers stays at zero", () => {
  expect(replay({ durationMs: 700, answersMs: [], frames: [] }, RACE_MS).answers).toBe(0);
});

test("the totals are in proportion to the throughput", () => {
  const steady = (gapMs: number): Recording => ({
    durationMs: 600,
    answersMs: Array.from({ length: 600 / gapMs }, (_, index) => (index + 1) * gapMs),
    frames: [],
  });
  for (const recording of [steady(1), steady(4), steady(100)]) {
    expect(replay(recording, RACE_MS).answers).toBe((recording.answersMs.length * RACE_MS) / recording.durationMs);
  }
});

const withAnswers = (answers: number, durationMs = 600): Recording => ({
  durationMs,
  answersMs: Array.from({ length: answers }, (_, index) => ((index + 1) * durationMs) / answers),
  frames: [],
});

test("the race is the pair whose ratio is nearest to the factor of the result", () => {
  const single = [withAnswers(100), withAnswers(100), withAnswers(100)];
  const batched = [withAnswers(480), withAnswers(350), withAnswers(200)];
  const race = raceOf(batched, single, 3.4);
  expect(race.batched.answersMs.length / race.single.answersMs.length).toBe(3.5);
});

test("the race leaves out the frames after the last answer, since it repeats the pair from there", () => {
  const late: Recording = { ...RECORDING, frames: [...RECORDING.frames, { atMs: 110, dropped: 1 }] };
  expect(raceOf([late], [late], 1).batched.frames.map(({ atMs }) => atMs)).toEqual([10, 30, 80]);
});

test("a race of slices that are longer than it shows them whole, faster", () => {
  const race = { batched: withAnswers(30, 6000), single: withAnswers(10, 5000) };
  expect(paceOf(race)).toBe(2);
  expect(replay(race.batched, paceOf(race) * RACE_MS).answers).toBe(30);
  expect(paceOf({ batched: RECORDING, single: RECORDING })).toBe(1);
});

test("the end of a long race has the last batch, however the pace is rounded", () => {
  const durations = Array.from({ length: 100 }, (_, index) => 3000.1 + 7.7 * index);
  for (const durationMs of durations) {
    const recording: Recording = { durationMs, answersMs: [1500, durationMs, durationMs], frames: [] };
    const race = { batched: recording, single: recording };
    expect(replay(recording, paceOf(race) * RACE_MS).answers).toBe(3);
  }
});
