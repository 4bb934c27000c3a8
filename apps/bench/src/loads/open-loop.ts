import type { Random } from "../statistics/random.js";
import { OpenCalls } from "./open-calls.js";
import type { Load, LoadOutcome, LoadRun } from "./load.js";
import { everyFrame, everyMillisecond } from "./ticks.js";

/** Maximum batch size of the limit lane, since the number of concurrent calls is not known in advance. */
const LARGEST_BATCH = 256;

/** Number of calls that may arrive before the first answer, if a lane waits to fill its batches. */
const USUALLY_OPEN = 512;

/**
 * An open loop: calls arrive at random (a Poisson process) at a share of the throughput of framebatch with 256 callers.
 * The latency counts from the time at which the call was due, so that a page that makes calls too late does not look
 * better.
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

/** A user interface that makes `perFrame` calls per frame, at random times. */
export function scattered(perFrame: number): Load {
  return {
    name: `scattered-${perFrame}`,
    callers: perFrame,
    leastRounds: 1,
    needsCapacity: false,
    drive: (run) => driveOpen(run, (perFrame * 60) / 1000),
  };
}

/** A user interface that makes `perFrame` calls at the start of each frame. */
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

/** Draws the time to the next call of a Poisson process, in ms. */
function gap(ratePerMs: number, random: Random): number {
  return -Math.log(1 - random()) / ratePerMs;
}
