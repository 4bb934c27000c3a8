import type { Models } from "../measure/slice-series.js";
import type { ModelLanes } from "../model-lanes.js";

/** Loads both models. Rejects with the signal's reason as soon as it aborts, while the models go on loading. */
export async function loadModels(lanes: ModelLanes | null, stopping: AbortSignal): Promise<Models> {
  if (lanes === null) throw new Error("There is no model to measure.");
  const stopped = new Promise<never>((_, reject) => {
    stopping.addEventListener("abort", () => reject(stopping.reason), { once: true });
  });
  const [batched, single] = await Promise.race([stopped, Promise.all([lanes.batched.load(), lanes.single.load()])]);
  return { batched, single };
}
