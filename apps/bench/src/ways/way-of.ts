import type { LaneWays } from "../lanes/lane.js";

/**
 * Returns the way that a model runs on, as lanes are named. The trials of the load come first: the first one that was
 * chosen is that way.
 */
export function wayOf({ provider, trials }: LaneWays): string {
  const numThreads = trials.find((trial) => trial.chosen && trial.provider === provider)?.numThreads ?? 1;
  return provider === "wasm" ? `wasm-${numThreads}` : provider;
}
