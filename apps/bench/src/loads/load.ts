import type { CalledLane } from "../lanes/lane.js";
import type { SampleBuffer } from "../measure/sample-buffer.js";
import type { BenchItem } from "../ort/tensors.js";
import type { Random } from "../statistics/random.js";

/** The durations of a slice. All times are in ms. */
export interface SliceTimes {
  readonly sliceMs: number;
  /** Maximum length of a slice, even if the callers have not completed eight rounds. */
  readonly longestSliceMs: number;
  /** Whether to withdraw calls that are open at the end, instead of waiting for them. */
  readonly cutShort: boolean;
}

/** The times of the first and the last answer of a burst, in ms since its calls. */
export interface BurstTimes {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The outcome of the calls of one slice. */
export interface LoadOutcome {
  /** Number of calls answered within the slice. The samples contain these calls. */
  readonly answered: number;
  /** Number of calls answered after the end of the slice. */
  readonly answeredLate: number;
  /**
   * Time from the start of the slice to the last answer within it, or to its end if there was no answer, in ms. For
   * isolated bursts, without the pauses.
   */
  readonly elapsedMs: number;
  /** The times of each burst. Only for isolated bursts. */
  readonly bursts?: readonly BurstTimes[];
  /** The age of each call that was open at the end, in ms. */
  readonly openAgesMs: readonly number[];
  /** Number of withdrawn calls. Their work may still be running. */
  readonly withdrawn: number;
  /**
   * True if so many calls were open at the end that the latencies are lower bounds. Open calls then count in the
   * latencies.
   */
  readonly isLowerBound: boolean;
}

/** One slice of a load on a lane. */
export interface LoadRun {
  readonly lane: CalledLane;
  readonly items: readonly BenchItem[];
  readonly times: SliceTimes;
  readonly samples: SampleBuffer;
  /**
   * Throughput of framebatch with 256 callers, in predictions per second. Loads with a fixed rate use a share of it.
   */
  readonly capacityPerSec: number;
  readonly random: Random;
  /** Call it at the end of the slice, before waiting for the open calls. */
  readonly onEnd: () => void;
}

/** A load: it decides when calls are made. */
export interface Load {
  /** The name in the JSON. */
  readonly name: string;
  /**
   * Number of concurrent calls. If the load has no fixed number, an upper bound, which is the maximum batch size of the
   * limit lane.
   */
  readonly callers: number;
  /** Minimum number of answers per caller for meaningful figures of a slice. */
  readonly leastRounds: number;
  /** Minimum slice length for meaningful figures, in ms. Undefined means any length. */
  readonly leastSliceMs?: number;
  /** Whether the load needs the capacity of the model. */
  readonly needsCapacity: boolean;
  /** Runs the load. Resolves when no call is open. */
  drive(run: LoadRun): Promise<LoadOutcome>;
}
