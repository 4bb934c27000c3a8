import type { BenchItem } from "../items.js";
import type { CalledLane } from "../lanes/lane.js";
import type { SampleBuffer } from "../measure/sample-buffer.js";

/** How long a slice lasts. Every time in milliseconds. */
export interface SliceTimes {
  readonly sliceMs: number;
  /** At the latest then it ends, even if the callers have not got round twice. */
  readonly longestSliceMs: number;
  /** Withdraw what is still open at the end, instead of waiting for it. */
  readonly cutShort: boolean;
}

/** What happened to the calls of one slice. */
export interface LoadOutcome {
  /** Answered within the slice; the samples hold these. */
  readonly answered: number;
  /** Answered after its end, while it ran out. */
  readonly answeredLate: number;
  /** From the start of the slice to the last answer within it, or to its end if there was none. */
  readonly elapsedMs: number;
  /** How long each call that was open at the end had been waiting. */
  readonly openAgesMs: readonly number[];
}

/** When predictions are asked for. */
export interface Load {
  /** As in the JSON. */
  readonly name: string;
  readonly callers: number;
  /** Ends when no call is open any more. `onEnd` runs at the end of the slice proper, before the open calls run out. */
  drive(
    lane: CalledLane,
    items: readonly BenchItem[],
    times: SliceTimes,
    samples: SampleBuffer,
    onEnd: () => void,
  ): Promise<LoadOutcome>;
}
