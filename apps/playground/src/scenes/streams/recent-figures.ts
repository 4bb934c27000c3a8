import { FRAME, RATE } from "@framebatch/models/voices";
import type { StreamFigures } from "./world/protocol.js";

/** What a side shows. */
export interface RecentFigures {
  /** The share of the sound that the model heard, 0 to 1. */
  readonly heardShare: number;
  readonly answerMs: number | null;
  readonly stepsPerSecond: number;
  /** Steps in a run of the model, on average. */
  readonly together: number;
}

/** The figures of the last second. @param history reports of one load, not empty */
export function recentFigures(history: readonly StreamFigures[]): RecentFigures {
  const last = history.slice(-2);
  const [heard, runs] = [sum(last, (one) => one.heard), sum(last, (one) => one.runs)];
  return {
    heardShare: Math.min(1, heard / sum(last, dueOf)),
    answerMs: last.at(-1)?.answerMs ?? null,
    stepsPerSecond: (1000 * heard) / sum(last, ({ elapsedMs }) => elapsedMs),
    together: runs === 0 ? 0 : heard / runs,
  };
}

/** The steps of live sound in the time of a report. */
export function dueOf({ elapsedMs, streams }: StreamFigures): number {
  return ((streams * elapsedMs) / 1000) * (RATE / FRAME);
}

function sum(history: readonly StreamFigures[], value: (figures: StreamFigures) => number): number {
  return history.reduce((total, figures) => total + value(figures), 0);
}
