import { laneNamed } from "../lanes/all.js";
import { makeItems } from "../items.js";
import { modelNamed } from "../real-models.js";
import type { Backend } from "../results.js";
import { seededRandom } from "../statistics/random.js";

/** The lane and the model of a first prediction. */
export interface FirstPredictionSpec {
  readonly backend: Backend;
  readonly model: string;
  readonly lane: string;
}

/** Measures the time from opening the model to the first answer, in ms. The page must not have done anything else. */
export async function timeFirstPrediction({ backend, model, lane }: FirstPredictionSpec): Promise<number> {
  const wantedModel = modelNamed(model);
  const wantedLane = laneNamed(lane);
  const items = makeItems(wantedModel, 1, seededRandom(1));
  const startMs = performance.now();
  const opened = await wantedLane.open(wantedModel, backend, items);
  await opened.answer(items[0] ?? {});
  const takenMs = performance.now() - startMs;
  await opened.close();
  return takenMs;
}
