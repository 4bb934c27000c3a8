import type { CalledLane, LaneCounts, OpenLane } from "../lanes/lane.js";
import type { Load, LoadOutcome, LoadRun } from "../loads/load.js";
import type { FrameRecorder } from "../measure/frame-recorder.js";
import type { LongTaskCounter } from "../measure/long-tasks.js";
import type { MainThreadMeter } from "../measure/main-thread.js";
import type { MemoryMeter } from "../measure/memory.js";
import type { SampleBuffer } from "../measure/sample-buffer.js";
import { drivenSlice, summariseSlice, type Slice } from "./slice.js";

export interface Instruments {
  readonly samples: SampleBuffer;
  readonly frames: FrameRecorder;
  readonly longTasks: LongTaskCounter;
  readonly mainThread: MainThreadMeter | null;
  readonly memory: MemoryMeter | null;
  readonly framePeriodMs: number;
}

/** The parameters of a slice, independent of the lane. */
export type SliceSetup = Omit<LoadRun, "lane" | "samples" | "onEnd">;

/** Applies a load to a lane for one slice. When it resolves, the lane is idle again. */
export function measureSlice(lane: OpenLane, load: Load, setup: SliceSetup, instruments: Instruments): Promise<Slice> {
  return lane.kind === "called"
    ? measureCalls(lane, load, setup, instruments)
    : lane.drive(load.callers, setup.times.sliceMs).then(drivenSlice);
}

async function measureCalls(
  lane: CalledLane,
  load: Load,
  setup: SliceSetup,
  { samples, frames, longTasks, mainThread, framePeriodMs }: Instruments,
): Promise<Slice> {
  let counts: LaneCounts | null = null;
  let outcome: LoadOutcome = {
    answered: 0,
    answeredLate: 0,
    elapsedMs: 0,
    openAgesMs: [],
    withdrawn: 0,
    isLowerBound: true,
  };
  let startMs = 0;
  let wholeMs = 0;
  const work = async (): Promise<void> => {
    await ownTask();
    startMs = performance.now();
    lane.resetCounts();
    outcome = await load.drive({ ...setup, lane, samples, onEnd: () => (counts = lane.counts()) });
    wholeMs = performance.now() - startMs;
  };
  samples.clear();
  frames.start();
  longTasks.start();
  const mainThreadMs = mainThread === null ? Number.NaN : await mainThread.during(work);
  if (mainThread === null) await work();
  const frameTimesMs = await frames.stop();
  // The browser tells how long a task was when it has ended: the last answer may be in it.
  const seen = { longTasks: longTasks.stop(), frameTimesMs };
  // The worker answers in order. When this call returns, the worker has also finished the withdrawn calls.
  if (outcome.withdrawn > 0) await lane.predict(setup.items[0] ?? {});
  return summariseSlice({
    outcome,
    samples,
    framePeriodMs,
    startMs,
    wholeMs,
    mainThreadMs,
    counts,
    ...seen,
  });
}

/**
 * Starts a task. What follows an answer of the runner is in none that the browser would call long, however long it takes:
 * a lane on the page's own thread starts there.
 */
function ownTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
