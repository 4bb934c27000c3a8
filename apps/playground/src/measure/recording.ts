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

/** Returns the recordings one after another, as one. */
export function joinedRecording(recordings: readonly Recording[]): Recording {
  let startMs = 0;
  const answersMs: number[] = [];
  const frames: RecordedFrame[] = [];
  for (const { durationMs, ...recorded } of recordings) {
    for (const atMs of recorded.answersMs) answersMs.push(startMs + atMs);
    for (const { atMs, dropped } of recorded.frames) {
      if (atMs <= durationMs) frames.push({ atMs: startMs + atMs, dropped });
    }
    startMs += durationMs;
  }
  return { durationMs: startMs, answersMs, frames };
}
