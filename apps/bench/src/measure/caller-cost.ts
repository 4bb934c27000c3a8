import { closedLoop } from "../loads/closed-loop.js";
import type { CalledLane } from "../lanes/lane.js";
import { SampleBuffer } from "./sample-buffer.js";

const CALLERS = 256;
const SLICE_MS = 60;
const CAPACITY = 2 ** 20;

/** A lane that answers immediately, so that all measured cost is the benchmark's own. */
const nothing: CalledLane = {
  kind: "called",
  predict: () => Promise.resolve(),
  answer: () => Promise.resolve(new Float32Array()),
  resetCounts: () => {},
  counts: () => null,
  curve: () => null,
  close: () => Promise.resolve(),
};

/** Measures the main-thread time of the callers themselves per prediction, in microseconds. */
export async function callerUsPerPrediction(): Promise<number> {
  const times = { sliceMs: SLICE_MS, longestSliceMs: SLICE_MS, cutShort: false };
  const outcome = await closedLoop(CALLERS).drive({
    lane: nothing,
    items: [{}],
    times,
    samples: new SampleBuffer(CAPACITY),
    capacityPerSec: 0,
    random: () => 0,
    onEnd: () => {},
  });
  return (outcome.elapsedMs * 1000) / outcome.answered;
}
