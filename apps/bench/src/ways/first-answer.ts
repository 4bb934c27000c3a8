import { makeItems } from "../items.js";
import { laneNamed } from "../lanes/all.js";
import type { FirstPredictionSpec } from "../measure/first-prediction.js";
import { modelNamed } from "../real-models.js";
import { seededRandom } from "../statistics/random.js";
import type { FirstAnswer } from "./first-answer-protocol.js";
import { wayOf } from "./way-of.js";

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
  return { firstMs, callMs, runsOn: ways === undefined ? null : wayOf(ways) };
}
