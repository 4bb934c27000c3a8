import { describe, expect, it } from "vitest";
import { SampleBuffer } from "../src/measure/sample-buffer.js";
import { summariseSlice, type RawSlice } from "../src/run/slice.js";

/** `calls` are `[calledMs, answeredMs, isFirst]`. */
function slice(calls: readonly (readonly [number, number, boolean])[], raw: Partial<RawSlice> = {}): RawSlice {
  const samples = new SampleBuffer(100);
  for (const [calledMs, answeredMs, isFirst] of calls) samples.record(calledMs, answeredMs, isFirst);
  return {
    outcome: {
      answered: calls.length,
      answeredLate: 0,
      elapsedMs: 100,
      openAgesMs: [],
      withdrawn: 0,
      isLowerBound: false,
    },
    samples,
    frameTimesMs: [],
    framePeriodMs: 16,
    startMs: 0,
    wholeMs: 1000,
    longTasks: 0,
    mainThreadMs: 0,
    counts: null,
    ...raw,
  };
}

describe("a slice", () => {
  it("counts throughput from its start to its last answer", () => {
    const summary = summariseSlice(
      slice([
        [0, 50, true],
        [0, 100, true],
      ]),
    );
    expect(summary.throughputPerSec).toBe(20);
  });

  it("excludes first calls if every caller has made a second one", () => {
    const calls = [
      [0, 1, true],
      [0, 1, true],
      [1, 31, false],
      [1, 31, false],
    ] as const;
    const summary = summariseSlice(slice(calls));
    expect(summary.p50Ms).toBe(30);
    expect(summary.latencyIsLowerBound).toBe(false);
  });

  it("includes open calls if latencies are lower bounds", () => {
    const outcome = {
      answered: 1,
      answeredLate: 1,
      elapsedMs: 10,
      openAgesMs: [200, 200],
      withdrawn: 0,
      isLowerBound: true,
    };
    const summary = summariseSlice(slice([[0, 10, true]], { outcome }));
    expect(summary.p50Ms).toBe(200);
    expect(summary.latencyIsLowerBound).toBe(true);
  });

  it("divides main-thread time by all answers, including late ones", () => {
    const outcome = { answered: 3, answeredLate: 1, elapsedMs: 10, openAgesMs: [], withdrawn: 0, isLowerBound: false };
    expect(summariseSlice(slice([], { outcome, mainThreadMs: 2 })).mainThreadUsPerPrediction).toBe(500);
  });

  it("has NaN for figures that its lane does not count", () => {
    const summary = summariseSlice(slice([[0, 1, true]]));
    expect(summary.busyShare).toBeNaN();
    expect(summary.meanBatchSize).toBeNaN();
  });

  it("gives dropped frames and long tasks per second", () => {
    const summary = summariseSlice(slice([], { frameTimesMs: [0, 16, 48], wholeMs: 500, longTasks: 2 }));
    expect(summary.droppedFramesPerSec).toBe(2);
    expect(summary.longTasksPerSec).toBe(4);
  });
});

describe("the buffer of samples", () => {
  it("ignores calls beyond its capacity", () => {
    const samples = new SampleBuffer(2);
    for (let call = 0; call < 5; call++) samples.record(call, call + 1, false);
    const seen: number[] = [];
    samples.forEach(false, (calledMs) => seen.push(calledMs));
    expect(seen).toEqual([0, 1]);
  });
});
