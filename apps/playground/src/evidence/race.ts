import { countWithin } from "../measure/latency-statistics.js";
import type { Race } from "../measure/race-pair.js";
import type { RecordedFrame, Recording } from "../measure/recording.js";

/** Duration of the race, in ms. */
export const RACE_MS = 3000;

/** How long the mark takes from one end of its track to the other, in ms. */
const CROSSING_MS = 1000;

/** A race multiplies by its pace, so that a round may end this share of it early. */
const ROUNDING = 1e-9;

/** What a lane shows at one moment of the race. */
export interface RaceState {
  /** Number of answers so far. */
  readonly answers: number;
  /** Number of dropped frames so far. */
  readonly dropped: number;
  /** Position of the mark on its track, 0 to 1. */
  readonly mark: number;
}

/** By how much a race is faster than its recordings: it shows the longer one whole. At least 1. */
export function paceOf(race: Race): number {
  return Math.max(RACE_MS, race.batched.durationMs, race.single.durationMs) / RACE_MS;
}

/** Replays a recording at its pace. One that is shorter than the race repeats, with its dropped frames. */
export function replay({ durationMs, answersMs, frames }: Recording, elapsedMs: number): RaceState {
  const rounds = Math.floor(elapsedMs / durationMs + ROUNDING);
  const roundMs = Math.max(0, elapsedMs - rounds * durationMs);
  const painted = frames.filter(({ atMs }) => atMs <= roundMs);
  return {
    answers: rounds * answersMs.length + countWithin(answersMs, roundMs),
    dropped: rounds * droppedIn(frames) + droppedIn(painted),
    mark: markAt(rounds * durationMs + (painted.at(-1)?.atMs ?? 0)),
  };
}

function droppedIn(frames: readonly RecordedFrame[]): number {
  return frames.reduce((total, { dropped }) => total + dropped, 0);
}

/** The mark crosses its track and returns. It moves only when a frame starts. */
function markAt(frameMs: number): number {
  const crossings = (frameMs / CROSSING_MS) % 2;
  return crossings <= 1 ? crossings : 2 - crossings;
}
