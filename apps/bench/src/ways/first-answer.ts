import { makeItems } from "../items.js";
import { laneNamed } from "../lanes/all.js";
import type { LaneWays } from "../lanes/lane.js";
import type { FirstPredictionSpec } from "../measure/first-prediction.js";
import { modelNamed } from "../real-models.js";
import { seededRandom } from "../statistics/random.js";
import type { FirstAnswer } from "./first-answer-protocol.js";

/** Opens a lane and asks once. It must be the first thing that the page does: its clock starts with the navigation. */
export async function answerFirst({ backend, model, lane }: FirstPredictionSpec): Promise<FirstAnswer> {
  const wanted = modelNamed(model);
  const items = makeItems(wanted, 1, seededRandom(1));
  const opened = await laneNamed(lane).open(wanted, backend, items);
  if (opened.kind !== "called") throw new Error(`The lane ${lane} answers no calls.`);
  const item = items[0] ?? {};
  const timed = async (): Promise<number> => {
    const calledMs = performance.now();
    await opened.predict(item);
    return performance.now() - calledMs;
  };
  await opened.predict(item);
  const firstMs = performance.now();
  const callMs = Math.min(await timed(), await timed());
  const ways = opened.ways?.();
  await opened.close();
  return { firstMs, callMs, runsOn: ways === undefined ? null : nameOf(ways) };
}

/** The trials of the load come first: the first one that was chosen is the way that the model runs on. */
function nameOf({ provider, trials }: LaneWays): string {
  const numThreads = trials.find((trial) => trial.chosen && trial.provider === provider)?.numThreads ?? 1;
  return provider === "wasm" ? `wasm-${numThreads}` : provider;
}
