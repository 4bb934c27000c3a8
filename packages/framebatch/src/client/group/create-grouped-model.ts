import { createWith } from "../model/create-batched-model.js";
import type { WorkerBackedModel } from "../model/batched-model.js";
import { tensorItems } from "../model/tensor-items.js";
import { handledItems } from "../handlers/handled-items.js";
import type { PageItem } from "../handlers/page-items.js";
import type { ExecutionProvider } from "../../core/providers.js";
import { optionError } from "../../core/tensor/option-errors.js";
import { InputReader } from "../../core/collate/input-reader.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Item, Outputs } from "../options/model.js";
import type { GroupHandlerModelOptions, ModelGroupOptions } from "../options/model-group.js";
import { checkGrouped } from "../options/group-checks.js";
import { checkHandlerOptions, checkModelOptions } from "../options/model-options.js";
import type { GroupedOptions } from "../options/grouped-options.js";
import type { KeptModel } from "../options/model-source.js";
import type { LoadOptions, ModelOptions } from "../options/options.js";
import type { BuiltInSite } from "../workers/worker-site.js";
import { withShippedProviders } from "../options/shipped-providers.js";
import { Group } from "./group.js";
import { GroupHome } from "./group-home.js";

type GroupedModel = WorkerBackedModel<Item, PreparedItem, Outputs> | WorkerBackedModel<unknown, PageItem, unknown>;

/**
 * Creates a model of a group.
 * @param providers the only ones that this build ships; default: all
 * @throws the errors of `createBatchedModel`; DISPOSED if the group is disposed of
 */
export async function createGroupedModelAt(
  site: BuiltInSite,
  source: KeptModel,
  options: GroupedOptions,
  providers?: readonly ExecutionProvider[],
): Promise<GroupedModel> {
  checkGrouped(options);
  const { group: given, ...own } = options;
  const group = Group.from(given);
  group.signal.throwIfAborted();
  const model = await open(site, source, own, group, withShippedProviders(group.options, providers));
  if (group.signal.aborted) await model.dispose();
  group.signal.throwIfAborted();
  group.add(model);
  return model;
}

async function open(
  site: BuiltInSite,
  source: KeptModel,
  asked: Omit<ModelOptions, "group"> | Omit<GroupHandlerModelOptions<unknown>, "group">,
  group: Group,
  shared: ModelGroupOptions,
): Promise<GroupedModel> {
  const { handlers = null, ...own } = "handlers" in asked ? asked : { ...asked, handlers: null };
  const signal = own.signal === undefined ? group.signal : AbortSignal.any([own.signal, group.signal]);
  const options: LoadOptions & Pick<GroupHandlerModelOptions<unknown>, "shapeOf"> = {
    ...own,
    numThreads: 1,
    ...shared,
    signal,
  };
  const home = (group.home ??= new GroupHome(group.options));
  const join = (builtIn: BuiltInSite) => home.siteFor(builtIn, handlers);
  if (handlers === null) {
    checkModelOptions(options);
    return createWith({ site, served: null, share: null, join }, source, options, ({ session: { model } }) =>
      tensorItems(InputReader.for(model.signature, model.padding, options.validate), options),
    );
  }
  if (!home.hasHandlers) throw optionError("handlers", "a group with the option worker", handlers, "give it one");
  checkHandlerOptions(options);
  return createWith({ site, served: site, share: null, join }, source, options, (pool) =>
    handledItems(pool, options.shapeOf),
  );
}
