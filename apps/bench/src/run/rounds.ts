import type { OpenLane } from "../lanes/lane.js";
import type { Load } from "../loads/load.js";
import { shuffled, type Random } from "../statistics/random.js";
import { measureSlice, type Instruments, type SliceSetup } from "./measure-slice.js";
import type { Slice } from "./slice.js";

export interface RoundsOptions {
  readonly rounds: number;
  /**
   * Deadline on the clock of `performance.now()`, in ms. A round that has started is finished. At least one round runs.
   */
  readonly deadlineMs: number;
  /** Returns whether the time of the whole run is over. No slice starts after that. */
  readonly isSpent: () => boolean;
  /** The random source for the order of the lanes. */
  readonly random: Random;
}

/** The results of a group: the slices of each successful lane, by round, and the errors of the others. */
export interface RoundsOutcome {
  readonly slices: ReadonlyMap<string, readonly Slice[]>;
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * Runs the lanes in turn, in a new random order each round. A first slice of each lane is a warm-up and does not count.
 */
export async function runRounds(
  lanes: ReadonlyMap<string, OpenLane>,
  load: Load,
  setup: SliceSetup,
  options: RoundsOptions,
  instruments: Instruments,
): Promise<RoundsOutcome> {
  const slices = new Map<string, Slice[]>([...lanes.keys()].map((name) => [name, []]));
  const failures = new Map<string, string>();
  const turn = async (name: string, slice: SliceSetup, counts: boolean): Promise<void> => {
    const lane = lanes.get(name);
    if (lane === undefined || failures.has(name) || options.isSpent()) return;
    try {
      const measured = await measureSlice(lane, load, slice, instruments);
      if (counts) slices.get(name)?.push(measured);
    } catch (error) {
      failures.set(name, error instanceof Error ? error.message : String(error));
      slices.delete(name);
    }
  };
  const warmUp = { ...setup, times: { ...setup.times, longestSliceMs: setup.times.sliceMs } };
  for (const name of lanes.keys()) await turn(name, warmUp, false);
  for (let round = 0; round < options.rounds; round++) {
    if (round > 0 && performance.now() >= options.deadlineMs) break;
    for (const name of shuffled([...lanes.keys()], options.random)) await turn(name, setup, true);
  }
  return { slices, failures };
}
