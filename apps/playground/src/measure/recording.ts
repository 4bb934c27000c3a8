/** A frame that the page painted. */
export interface RecordedFrame {
  /** Its start, in ms from the first call, from 0. */
  readonly atMs: number;
  /** Number of frames that were dropped before it. */
  readonly dropped: number;
}

/** When the answers of a slice arrived, and when the page painted. */
export interface Recording {
  /** From the first call to the last answer, in ms; to the cut if there was no answer. */
  readonly durationMs: number;
  /** Time of each answer, in ms from the first call, ascending. */
  readonly answersMs: readonly number[];
  /** In order. The last one follows the last answer. */
  readonly frames: readonly RecordedFrame[];
}

/** Answers per second. */
export function throughputOf({ answersMs, durationMs }: Recording): number {
  return (answersMs.length / durationMs) * 1000;
}
