import type { CalledLane } from "../../src/lanes/lane.js";
import type { LoadRun } from "../../src/loads/load.js";
import { SampleBuffer } from "../../src/measure/sample-buffer.js";
import { seededRandom } from "../../src/statistics/random.js";

/** Returns a `predict` that answers each call after `answerMs` milliseconds, even if the call is obsolete. */
export function runsAll(answerMs: number): CalledLane["predict"] {
  return () => new Promise((resolve) => setTimeout(resolve, answerMs));
}

/** Creates a slice of a lane with this `predict`, and a function that returns the recorded latencies. */
export function slice(predict: CalledLane["predict"], sliceMs: number) {
  const samples = new SampleBuffer(10_000);
  const lane: CalledLane = {
    kind: "called",
    predict,
    answer: () => Promise.resolve([]),
    resetCounts: () => {},
    counts: () => null,
    curve: () => null,
    close: () => Promise.resolve(),
  };
  const times = { sliceMs, longestSliceMs: sliceMs, cutShort: false };
  const facts = { capacityPerSec: 0, random: seededRandom(1), onEnd: () => {} };
  const run: LoadRun = { lane, items: [{}], times, samples, ...facts };
  const latencies = () => {
    const seen: number[] = [];
    samples.forEach(false, (calledMs, answeredMs) => seen.push(answeredMs - calledMs));
    return seen;
  };
  return { run, latencies };
}

export function everyTenth(callback: () => void): () => void {
  const timer = setInterval(callback, 10);
  return () => clearInterval(timer);
}
