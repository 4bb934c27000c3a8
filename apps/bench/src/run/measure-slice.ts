import type { BenchItem } from "../items.js";
import type { CalledLane, LaneCounts, OpenLane } from "../lanes/lane.js";
import type { Load, LoadOutcome, SliceTimes } from "../loads/load.js";
import type { FrameRecorder } from "../measure/frame-recorder.js";
import type { LongTaskCounter } from "../measure/long-tasks.js";
import type { MainThreadMeter } from "../measure/main-thread.js";
import type { SampleBuffer } from "../measure/sample-buffer.js";
import { drivenSlice, summariseSlice, type Slice } from "./slice.js";

export interface Instruments {
  readonly samples: SampleBuffer;
  readonly frames: FrameRecorder;
  readonly longTasks: LongTaskCounter;
  readonly mainThread: MainThreadMeter | null;
  readonly framePeriodMs: number;
}

/** Puts one lane under one load for a while. When it resolves, the lane is at rest again. */
export function measureSlice(
  lane: OpenLane,
  load: Load,
  items: readonly BenchItem[],
  times: SliceTimes,
  instruments: Instruments,
): Promise<Slice> {
  return lane.kind === "called"
    ? measureCalls(lane, load, items, times, instruments)
    : lane.drive(load.callers, times.sliceMs).then(drivenSlice);
}

async function measureCalls(
  lane: CalledLane,
  load: Load,
  items: readonly BenchItem[],
  times: SliceTimes,
  { samples, frames, longTasks, mainThread, framePeriodMs }: Instruments,
): Promise<Slice> {
  let counts: LaneCounts | null = null;
  let outcome: LoadOutcome = { answered: 0, answeredLate: 0, elapsedMs: 0, openAgesMs: [] };
  let wholeMs = 0;
  const work = async (): Promise<void> => {
    const startMs = performance.now();
    lane.resetCounts();
    outcome = await load.drive(lane, items, times, samples, () => (counts = lane.counts()));
    wholeMs = performance.now() - startMs;
  };
  samples.clear();
  frames.start();
  longTasks.start();
  const mainThreadMs = mainThread === null ? Number.NaN : await mainThread.during(work);
  if (mainThread === null) await work();
  const seen = { longTasks: longTasks.stop(), frameTimesMs: await frames.stop() };
  // The worker answers in order: once this comes back, whatever was withdrawn above is over in the worker too.
  if (times.cutShort) await lane.predict(items[0] ?? {});
  return summariseSlice({
    callers: load.callers,
    outcome,
    samples,
    framePeriodMs,
    wholeMs,
    mainThreadMs,
    counts,
    ...seen,
  });
}
