import type { CalledLane } from "../lanes/lane.js";
import type { SampleBuffer } from "../measure/sample-buffer.js";
import type { BenchItem } from "../ort/tensors.js";
import type { Random } from "../statistics/random.js";

/** How long a slice lasts. Every time in milliseconds. */
export interface SliceTimes {
  readonly sliceMs: number;
  /** At the latest then it ends, even if the callers have not got round four times. */
  readonly longestSliceMs: number;
  /** Withdraw what is still open at the end, instead of waiting for it. */
  readonly cutShort: boolean;
}

/** When the first and the last answer of a burst came, in milliseconds since its calls. */
export interface BurstTimes {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** What happened to the calls of one slice. */
export interface LoadOutcome {
  /** Answered within the slice; the samples hold these. */
  readonly answered: number;
  /** Answered after its end, while it ran out. */
  readonly answeredLate: number;
  /** From the start of the slice to the last answer within it, or to its end if there was none; of isolated bursts, without the pauses. */
  readonly elapsedMs: number;
  /** Of a load of isolated bursts. */
  readonly bursts?: readonly BurstTimes[];
  /** How long each call that was open at the end had been waiting. */
  readonly openAgesMs: readonly number[];
  /** Calls that nobody waited for any more. Their work may still be going on. */
  readonly withdrawn: number;
  /** So much was open at the end that latencies are only known to be at least so long: the open calls count with them. */
  readonly isLowerBound: boolean;
}

/** One slice of a load on a lane. */
export interface LoadRun {
  readonly lane: CalledLane;
  readonly items: readonly BenchItem[];
  readonly times: SliceTimes;
  readonly samples: SampleBuffer;
  /** Predictions a second that framebatch served to 256 callers: what loads with a rate of their own take a share of. */
  readonly capacityPerSec: number;
  readonly random: Random;
  /** To be called at the end of the slice proper, before the open calls run out. */
  readonly onEnd: () => void;
}

/** When predictions are asked for. */
export interface Load {
  /** As in the JSON. */
  readonly name: string;
  /** Calls that are open at once, or may be where there is no such number: as many as the limit may batch. */
  readonly callers: number;
  /** In a slice each caller needs at least so many answers for its figures to say something. */
  readonly leastRounds: number;
  /** A shorter slice would hold too few calls to say anything, in milliseconds; any length will do if left out. */
  readonly leastSliceMs?: number;
  /** Whether it must know what the model can serve. */
  readonly needsCapacity: boolean;
  /** Ends when no call is open any more. */
  drive(run: LoadRun): Promise<LoadOutcome>;
}
