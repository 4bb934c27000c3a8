import { createModelAt } from "../model/create-batched-model.js";
import { type GeneratingOptions, hasGenerate } from "../options/generation.js";
import { checkModelOptions } from "../options/model-options.js";
import type { ModelOptions } from "../options/options.js";
import { loadLater } from "./load-later.js";
import type { importOnDemand } from "./on-demand.js";

export { planChecks } from "../options/model-options.js";

/**
 * Checks the options of a model of tensors. Returns what creates the model.
 * @param load `importOnDemand`. An import of it here would make it a file of its own, which every page would load.
 * @throws INVALID_OPTION
 */
export function creatorFor(
  options: ModelOptions | GeneratingOptions,
  load: typeof importOnDemand,
): typeof createModelAt {
  checkModelOptions(options);
  if (!hasGenerate(options))
    return (sites, ...others) => createModelAt({ ...sites, loadSequences: sequencesBy(load) }, ...others);
  return async (sites, source, _, onUse) =>
    (await generatingBy(load)()).createGeneratingModelAt(sites, source, options, onUse);
}

/** Returns what loads the code of models that generate. */
export function generatingBy(load: typeof importOnDemand) {
  return () => load(() => import("../../generation/page/generating-model.js"));
}

/** Returns what loads the code of sequences. */
export function sequencesBy(load: typeof importOnDemand) {
  // What is wrong with a state or a kept item is said in the call itself, so its words must be there.
  return async () => (await Promise.all([load(() => import("./packaged-sequences.js")), loadLater()]))[0];
}
