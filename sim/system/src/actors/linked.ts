import type { GroupedModel } from "../../../../packages/framebatch/src/client/options/model-group.js";
import type { Item, Outputs } from "../../../../packages/framebatch/src/client/options/model.js";
import type { Pipeline, StageCallOptions } from "@framebatch/pipelines/builder/pipeline.js";
import type { Page } from "../browser/page.js";
import { codeOf } from "../logs/error-code.js";
import { modelUrl } from "./callable.js";
import type { LinkedSpec } from "../scenario/kinds.js";

interface Linked {
  /** Takes an item to the outputs of the last model. */
  readonly chain: Pipeline<Item, Outputs>;
  dispose(): Promise<void>;
}

/** Opens models of one group, of which each reads what the one before it has left in the worker. */
export async function openLinked(
  { by, models: count, group: bounds, options }: LinkedSpec,
  page: Page,
): Promise<Linked> {
  const { framebatch, origin } = page;
  const group = framebatch.createModelGroup(bounds);
  const names = Array.from({ length: count }, (_, at) => (at < count - 1 ? "passing" : "affine"));
  const opened = names.map((name) => framebatch.createBatchedModel(modelUrl(name), { ...options, group }));
  const models = await Promise.all(opened).catch(async (error: unknown) => {
    await Promise.allSettled(opened);
    await group.dispose();
    throw error;
  });
  origin.witness.keeping.push({ page, bytes: () => group.stats().keptBytes });
  const start = framebatch.createPipeline<Item>();
  const chain =
    by === "links"
      ? linkedBy(start, models)
      : start.stage((item, terms) => throughHandles(models, item, terms, origin));
  const dispose = async () => {
    await chain.dispose();
    await group.dispose();
  };
  return { chain, dispose };
}

function linkedBy(start: Pipeline<Item, Item>, [first, ...others]: readonly GroupedModel[]): Pipeline<Item, Outputs> {
  let chain: Pipeline<Item, Outputs> = start.stage(first!);
  for (const model of others) chain = chain.stage(model, { inputs: { x: "y" } });
  return chain;
}

/** The times that a caller asks again after its worker has ended. */
const MOST_TRIES = 8;

/** Predicts again from the first model if a handle was lost with its worker, as its documentation says. */
async function throughHandles(
  models: readonly GroupedModel[],
  item: Item,
  terms: StageCallOptions,
  { fates, witness }: Page["origin"],
): Promise<Outputs> {
  for (let tries = 1; ; tries += 1) {
    const { fatal } = fates;
    try {
      return await once(models, item, terms);
    } catch (error) {
      if (codeOf(error) !== "DEVICE_LOST" || models.some(({ state }) => state === "failed")) throw error;
      if (fates.fatal === fatal) witness.broken("kept", "a handle was lost, and no worker has ended");
      if (tries === MOST_TRIES) throw error;
    }
  }
}

/** Two requests read the last handle, which is disposed of while they wait. */
async function once(
  models: readonly GroupedModel[],
  item: Item,
  { signal, priority }: StageCallOptions,
): Promise<Outputs> {
  const terms = { signal, ...(priority !== undefined && { priority }) };
  let given: object = item;
  let dispose = (): void => undefined;
  for (const model of models.slice(0, -1)) {
    const asked = model.predict(Object(given), { ...terms, keepOnDevice: ["y"] });
    dispose();
    const { y } = await asked;
    given = { x: y };
    dispose = () => y?.dispose();
  }
  const last = models.at(-1)!;
  const answers = Promise.all([last.predict(Object(given), terms), last.predict(Object(given), terms)]);
  dispose();
  const [answer] = await answers;
  return answer;
}
