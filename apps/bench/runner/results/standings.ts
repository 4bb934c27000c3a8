import { isOfBuild } from "../../src/lanes/builds.js";
import type { Cell, Goal, GroupName, Standing } from "../../src/results.js";
import type { Estimate } from "../../src/statistics/bootstrap.js";
import type { Random } from "../../src/statistics/random.js";
import type { Slice } from "../../src/run/slice.js";
import { differenceOf, ratioOf, roundsOf, valueOf, type Figure } from "./compared-figure.js";
import { p50, p99, type SlicesByLane } from "./ratios.js";

/** The alternatives to framebatch that a page could use, with and without batching. */
const PEERS: readonly string[] = [
  "off",
  "ort-main",
  "ort-proxy",
  "transformers-js",
  "dataloader",
  "hand-written",
  "window-10",
  "pacer",
];

/** The fewest rounds of which an interval tells anything: that of a single one is its value. */
const LEAST_ROUNDS = 3;

interface Felt<Measured extends Slice> {
  readonly of: Figure<Measured>;
  readonly least: number;
}

/** A promise in the cells of some loads and lanes. */
export interface Promised<Measured extends Slice = Slice> {
  readonly lanes: readonly string[];
  readonly loads: RegExp;
  readonly what: string;
  readonly of: Figure<Measured>;
  readonly goal: Goal;
  /** What a page feels of a difference in it, and the least difference that it feels. */
  readonly felt: Felt<Measured>;
  /** The lanes to compare with. Default: the peers. */
  readonly rivals?: readonly string[];
  /**
   * Compares only with lanes whose mean time to an answer is at most this many times the best lane's. A first answer
   * that comes at the expense of all others is no better.
   */
  readonly maxMean?: number;
}

/** Each way to run that a page can choose by hand. */
export const WAYS: readonly string[] = ["wasm-1", "wasm-2", "webgpu"];

const BOTH: readonly string[] = ["frame", "idle"];
const SERVING = /^(closed|open)-/;
const BURSTS = /^isolated-/;
const INTERFACES = /^(burst|scattered|typing|pointer|scroll)/;
const FIRST_ANSWERS = /^first-answer/;
const TRIALS = /^trial-/;

/** A page shows its first answer in the next frame. */
const FRAME_MS = 1000 / 60;

/** Half a millisecond of the time to an answer. Of a higher rate, callers feel that each answer comes sooner. */
export const inTime = <Measured extends Slice>(of: Figure<Measured>): Felt<Measured> => ({ of, least: 0.5 });
export const MEAN = inTime<Slice>(({ meanMs }) => meanMs);

const PROMISES: readonly Promised[] = [
  {
    lanes: BOTH,
    loads: SERVING,
    what: "throughput",
    of: ({ throughputPerSec }) => throughputPerSec,
    goal: { atLeast: 0.97 },
    felt: MEAN,
  },
  { lanes: BOTH, loads: SERVING, what: "p50", of: p50, goal: { atMost: 1.05 }, felt: inTime(p50) },
  { lanes: BOTH, loads: SERVING, what: "p99", of: p99, goal: { atMost: 1.1 }, felt: inTime(p99) },
  { lanes: BOTH, loads: BURSTS, what: "mean", of: ({ meanMs }) => meanMs, goal: { atMost: 1.05 }, felt: MEAN },
  {
    lanes: BOTH,
    loads: BURSTS,
    what: "first answer",
    of: ({ firstAnswerMs }) => firstAnswerMs,
    goal: { atMost: 1.25 },
    felt: inTime(({ firstAnswerMs }) => firstAnswerMs),
    maxMean: 1.1,
  },
  { lanes: ["idle"], loads: INTERFACES, what: "p50", of: p50, goal: { atMost: 1.05 }, felt: inTime(p50) },
  { lanes: ["idle"], loads: INTERFACES, what: "p99", of: p99, goal: { atMost: 1.1 }, felt: inTime(p99) },
  {
    lanes: ["frame"],
    loads: INTERFACES,
    what: "frames to paint",
    of: ({ framesToPaint }) => framesToPaint,
    goal: { atMost: 1.05 },
    felt: { of: ({ framesToPaint }) => framesToPaint, least: 0.05 },
    rivals: [...PEERS, "idle", "window"],
  },
  {
    lanes: ["default"],
    loads: SERVING,
    what: "first visit",
    of: ({ throughputPerSec }) => throughputPerSec,
    goal: { atLeast: 0.9 },
    felt: MEAN,
    rivals: WAYS,
  },
  {
    lanes: ["default-again"],
    loads: SERVING,
    what: "second visit",
    of: ({ throughputPerSec }) => throughputPerSec,
    goal: { atLeast: 0.95 },
    felt: MEAN,
    rivals: WAYS,
  },
  {
    lanes: ["default", "default-again"],
    loads: FIRST_ANSWERS,
    what: "first answer",
    of: ({ firstAnswerMs }) => firstAnswerMs,
    goal: { atMost: 1.1 },
    felt: { of: ({ firstAnswerMs }) => firstAnswerMs, least: FRAME_MS },
    rivals: WAYS,
  },
  {
    lanes: ["default"],
    loads: TRIALS,
    what: "p99 while ways are measured",
    of: p99,
    goal: { atMost: 1.1 },
    felt: inTime(p99),
    rivals: WAYS,
  },
  {
    lanes: ["default"],
    loads: TRIALS,
    what: "dropped frames while ways are measured",
    // One frame a second is added to both, so that a lane that drops none can be compared with.
    of: ({ droppedFramesPerSec }) => droppedFramesPerSec + 1,
    goal: { atMost: 1.1 },
    felt: { of: ({ droppedFramesPerSec }) => droppedFramesPerSec, least: 0.5 },
    rivals: WAYS,
  },
];

/** Compares what framebatch promises under this load with the best measured peer. */
export function standingsOf(group: GroupName, slicesByLane: SlicesByLane, random: Random): Standing[] {
  const builds = [...slicesByLane.keys()].filter(isOfBuild);
  return judge([...PROMISES, ...promisesOfBuilds(builds)], group, slicesByLane, random);
}

/** What each build but the first promises: nothing that is worse than with the first. */
function promisesOfBuilds([first, ...others]: readonly string[]): Promised[] {
  if (first === undefined) return [];
  const ofFrame = PROMISES.filter(({ lanes, rivals }) => lanes.includes("frame") && rivals === undefined);
  return ofFrame.map(({ loads, what, of, goal, felt }) => {
    const equal: Goal = "atMost" in goal ? { atMost: 1 } : { atLeast: 1 };
    return { lanes: others, loads, what, of, felt, goal: equal, rivals: [first] };
  });
}

/** Compares promises that hold under this load with the best measured peer. */
export function judge<Measured extends Slice>(
  promises: readonly Promised<Measured>[],
  group: GroupName,
  slicesByLane: SlicesByLane<Measured>,
  random: Random,
): Standing[] {
  return promises
    .filter(({ loads }) => loads.test(group.load))
    .flatMap((promise) =>
      promise.lanes.flatMap((lane) => standingOf({ ...group, lane }, promise, slicesByLane, random)),
    );
}

function standingOf<Measured extends Slice>(
  cell: Cell,
  promise: Promised<Measured>,
  slicesByLane: SlicesByLane<Measured>,
  random: Random,
): Standing[] {
  const { what, of, goal, felt } = promise;
  const peer = bestOf(promise, slicesByLane);
  const [ours, theirs] = [slicesByLane.get(cell.lane) ?? [], slicesByLane.get(peer ?? "") ?? []];
  const ratio = ratioOf(of, ours, theirs, random);
  if (peer === undefined || ratio === null) return [];
  const byInterval = roundsOf(of, ours, theirs) < LEAST_ROUNDS ? "cannot tell" : outcomeOf(goal, ratio);
  const difference = differenceOf(felt.of, ours, theirs, random);
  const outcome = byInterval === "cannot tell" && isBelow(difference, felt.least) ? "cannot feel" : byInterval;
  return [{ ...cell, what, peer, ratio, goal, outcome, isMet: misses(goal, ratio.value) <= 1 }];
}

/**
 * Returns the best lane by its figure. Ratios use this lane only, since the best lane of each round would depend on
 * chance.
 */
function bestOf<Measured extends Slice>(
  { of, goal, rivals = PEERS, maxMean = Infinity }: Promised<Measured>,
  slicesByLane: SlicesByLane<Measured>,
): string | undefined {
  const means = valuesOf(slicesByLane, ({ meanMs }) => meanMs);
  const longestMs = maxMean * Math.min(...means.values());
  const values = [...valuesOf(slicesByLane, of)].filter(
    ([lane, value]) => rivals.includes(lane) && value > 0 && !((means.get(lane) ?? 0) > longestMs),
  );
  const [best] = values.toSorted(([, a], [, b]) => ("atMost" in goal ? a - b : b - a));
  return best?.[0];
}

/** Returns a figure of each lane that has it. */
function valuesOf<Measured extends Slice>(
  slicesByLane: SlicesByLane<Measured>,
  figure: Figure<Measured>,
): Map<string, number> {
  const values = [...slicesByLane].map(([lane, pages]) => [lane, valueOf(figure, pages)] as const);
  return new Map(values.filter(([, value]) => !Number.isNaN(value)));
}

/** Returns the factor by which the goal is missed; up to 1, it is met. */
export function misses(goal: Goal, ratio: number): number {
  return "atMost" in goal ? ratio / goal.atMost : goal.atLeast / ratio;
}

function isBelow(difference: Estimate | null, least: number): boolean {
  return difference !== null && -least < difference.interval.low && difference.interval.high < least;
}

function outcomeOf(goal: Goal, { interval: { low, high } }: Estimate): "won" | "lost" | "cannot tell" {
  const [least, most] = [misses(goal, low), misses(goal, high)].toSorted((a, b) => a - b);
  if (most! <= 1) return "won";
  return least! > 1 ? "lost" : "cannot tell";
}
