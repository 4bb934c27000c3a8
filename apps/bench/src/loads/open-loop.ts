import type { Random } from "../statistics/random.js";
import { OpenCalls } from "./open-calls.js";
import type { Load, LoadOutcome, LoadRun } from "./load.js";
import { everyFrame, everyMillisecond } from "./ticks.js";

/** Calls open at once are unknown beforehand; the limit may batch this many. */
const LARGEST_BATCH = 256;

/** So many calls come before the first answer, where a lane waits a while for company. */
const USUALLY_OPEN = 512;

/**
 * Callers who do not wait for one another: calls come at random (a Poisson process) at a share of what framebatch served to
 * 256 callers. A latency counts from the moment at which the call was due, so that a page that could not even ask in time
 * is not let off.
 */
export function openLoop(share: number): Load {
  const rate = ({ capacityPerSec }: LoadRun): number => capacityPerSec * share;
  return {
    name: `open-${Math.round(share * 100)}%`,
    callers: LARGEST_BATCH,
    leastRounds: 1,
    needsCapacity: true,
    drive: (run) => driveOpen(run, rate(run) / 1000),
  };
}

/** A user interface that asks for so many predictions a frame, at any moment of it. */
export function scattered(perFrame: number): Load {
  return {
    name: `scattered-${perFrame}`,
    callers: perFrame,
    leastRounds: 1,
    needsCapacity: false,
    drive: (run) => driveOpen(run, (perFrame * 60) / 1000),
  };
}

/** A user interface that asks for so many predictions at the start of each frame. */
export function burst(perFrame: number): Load {
  return {
    name: `burst-${perFrame}`,
    callers: perFrame,
    leastRounds: 1,
    needsCapacity: false,
    drive: (run) => driveBursts(run, perFrame),
  };
}

function driveOpen(run: LoadRun, ratePerMs: number): Promise<LoadOutcome> {
  const calls = new OpenCalls(run, USUALLY_OPEN);
  let dueMs = calls.startMs + gap(ratePerMs, run.random);
  return calls.until(everyMillisecond, (nowMs) => {
    for (; dueMs <= nowMs; dueMs += gap(ratePerMs, run.random)) calls.ask(dueMs);
  });
}

function driveBursts(run: LoadRun, perFrame: number): Promise<LoadOutcome> {
  const calls = new OpenCalls(run, 2 * perFrame);
  return calls.until(everyFrame, (nowMs) => {
    for (let index = 0; index < perFrame; index++) calls.ask(nowMs);
  });
}

/** The time to the next call of a Poisson process. */
function gap(ratePerMs: number, random: Random): number {
  return -Math.log(1 - random()) / ratePerMs;
}
