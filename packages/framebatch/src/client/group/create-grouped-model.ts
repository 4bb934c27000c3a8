import { withEither } from "@framebatch/batcher/calls/either-signal.js";
import { createModelAt, createWith } from "../model/create-batched-model.js";
import { watched } from "../model/item-kind.js";
import { sharedResults } from "../model/shared-results.js";
import type { TensorSites } from "../model/load-plan.js";
import type { WorkerBackedModel } from "../model/batched-model.js";
import { handledItems } from "../handlers/handled-items.js";
import type { PageItem } from "../handlers/page-items.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs } from "../options/model.js";
import type { GroupHandlerModelOptions } from "../options/model-group.js";
import { hasGenerate } from "../options/generation-options.js";
import { checkGrouped } from "../options/group-checks.js";
import { checkHandlerOptions, checkModelOptions, planChecks } from "../options/model-options.js";
import type { GroupedOptions } from "../options/grouped-options.js";
import type { KeptModel } from "../options/model-source.js";
import type { LoadOptions, ModelOptions } from "../options/options.js";
import type { BuiltInSite } from "../workers/worker-site.js";
import { withShippedProviders } from "../options/shipped-providers.js";
import { Group } from "./group.js";
import { groupedItems } from "./grouped-items.js";
import { GroupHome } from "./group-home.js";

/** Where the models of a build come from. */
export interface GroupPlace extends Required<Pick<TensorSites, "site" | "loadSequences">> {
  /** Loads the code of models that generate. */
  readonly loadGenerating: LoadGenerating;
}

/** Loads the code of models that generate. */
export type LoadGenerating = () => Promise<
  Pick<typeof import("../../generation/page/create-generating-model.js"), "createGeneratingModelAt">
>;

type GroupedModel = WorkerBackedModel<Item, PreparedItem, Outputs> | WorkerBackedModel<unknown, PageItem, unknown>;

/**
 * Creates a model of a group.
 * @param providers the only ones that this build ships; default: all
 * @param onUse called at each request, before it is queued
 * @throws the errors of `createBatchedModel`; DISPOSED if the group is disposed of
 */
export async function createGroupedModelAt(
  place: GroupPlace,
  source: KeptModel,
  options: GroupedOptions,
  providers?: readonly ExecutionProvider[],
  onUse?: () => void,
): Promise<GroupedModel> {
  const { group: given, ...own } = options;
  const group = Group.from(given);
  checkGrouped(own, group.worker !== null);
  group.signal.throwIfAborted();
  const shared = withShippedProviders(group.options, providers);
  const model = await withEither([own.signal, group.signal], (signal) =>
    open(place, source, own, group, { ...shared, signal }, onUse),
  );
  if (group.signal.aborted) await model.dispose();
  group.signal.throwIfAborted();
  group.add(model);
  return model;
}

async function open(
  { site, loadSequences, loadGenerating }: GroupPlace,
  source: KeptModel,
  asked: Asked,
  group: Group,
  shared: Group["options"] & { readonly signal: AbortSignal },
  onUse?: () => void,
): Promise<GroupedModel> {
  const ofGroup = { numThreads: 1, ...shared };
  const home = (group.home ??= new GroupHome(group));
  const { suspects } = home;
  const join = (builtIn: BuiltInSite) => home.siteFor(builtIn, namesHandlers(asked) ? asked.handlers : null);
  if (!namesHandlers(asked)) {
    const options = { ...asked, ...ofGroup };
    checkModelOptions(options);
    const itemsOf = groupedItems(home.kept);
    const loadShared = () => Promise.resolve({ sharedResults });
    const sites: TensorSites = { site, share: null, join, loadSequences, loadShared, planChecks, itemsOf, suspects };
    if (!hasGenerate(options)) return createModelAt(sites, source, options, onUse);
    return (await loadGenerating()).createGeneratingModelAt(sites, source, options, onUse);
  }
  const { handlers: _, ...own } = asked;
  const options: LoadOptions & Pick<AskedHandlers, "shapeOf"> = { ...own, ...ofGroup };
  checkHandlerOptions(options);
  const { withHandledSequences } = await loadSequences();
  return createWith({ site, served: site, share: null, join }, source, options, (pool) =>
    watched(withHandledSequences(handledItems(pool, { shapeOf: options.shapeOf }, suspects), pool, suspects), onUse),
  );
}

type AskedHandlers = Omit<GroupHandlerModelOptions<unknown>, "group">;
type Asked = Omit<ModelOptions, "group"> | AskedHandlers;

/** Whether a model of a group has handlers in its worker. */
function namesHandlers(asked: Asked): asked is AskedHandlers {
  return "handlers" in asked && asked.handlers !== undefined;
}
