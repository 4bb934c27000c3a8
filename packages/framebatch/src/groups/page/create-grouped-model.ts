import { withEither } from "@framebatch/batcher/calls/either-signal.js";
import { createModelAt, createWith } from "../../client/model/create-batched-model.js";
import { type ItemKind, moveBuffer, tensorItems, watched } from "../../client/model/item-kind.js";
import { sharedResults } from "../../client/model/shared-results.js";
import type { TensorSites, ItemsOf, LoadSequences } from "../../client/model/load-plan.js";
import type { WorkerBackedModel } from "../../client/model/worker-backed-model.js";
import { handledItems } from "../../handlers/page/handled-items.js";
import type { PageItem } from "../../handlers/page/page-items.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs } from "../../client/options/model.js";
import type { GroupHandlerModelOptions } from "../../client/options/model-group.js";
import type { GroupedOptions } from "../../client/options/grouped-options.js";
import { type GroupChoosingModelOptions, hasGenerate } from "../../client/options/generation.js";
import { checkGrouped } from "./group-checks.js";
import { checkHandlerOptions, checkModelOptions, planChecks } from "../../client/options/model-options.js";
import type { KeptModel } from "../../client/options/model-source.js";
import type { LoadOptions, ModelOptions } from "../../client/options/options.js";
import type { BuiltInSite } from "../../client/workers/worker-site.js";
import { withShippedProviders } from "../../client/options/files-by-provider.js";
import { Group, GroupHome } from "./group.js";
import { RowBatches } from "../../client/engine/row-batches.js";
import { admitHeld, Handles } from "../../kept/page/handles.js";
import { isSent, KeptBatches } from "../../kept/page/kept-batches.js";
import { KeptRow } from "../../kept/page/kept-row.js";
import type { KeptTensors } from "../../kept/page/kept-tensors.js";
import { ModelKept } from "../../kept/page/model-kept.js";

/** Where the models of a build come from. */
export interface GroupPlace extends Required<Pick<TensorSites, "site">> {
  /** Loads the code of sequences. */
  readonly loadSequences: LoadGroupSequences;
  /** Loads the code of models that generate. */
  readonly loadGenerating: LoadGenerating;
}

/** Loads the code of sequences, with handlers and without. */
export type LoadGroupSequences = () => Promise<
  Awaited<ReturnType<LoadSequences>> &
    Pick<typeof import("../../handlers/page/handled-sequences.js"), "withHandledSequences">
>;

/** Loads the code of models that generate. */
export type LoadGenerating = () => Promise<
  Pick<typeof import("../../generation/page/generating-model.js"), "createGeneratingModelAt">
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
  const name = nameIn(asked);
  const join = (builtIn: BuiltInSite) => home.siteFor(builtIn, name);
  if (!hasItemHandlers(asked)) {
    const { handlers: _name, ...own } = { handlers: undefined, ...asked };
    const options = { ...own, ...ofGroup };
    checkModelOptions(options);
    const itemsOf = groupedItems(home.kept);
    const loadShared = () => Promise.resolve({ sharedResults });
    const sites: TensorSites = { site, share: null, join, loadSequences, loadShared, planChecks, itemsOf, suspects };
    if (!hasGenerate(options)) return createModelAt(sites, source, options, onUse);
    const served = name === null ? null : site;
    return (await loadGenerating()).createGeneratingModelAt({ ...sites, served }, source, options, onUse);
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
type AskedTexts = Omit<GroupChoosingModelOptions, "group">;
type Asked = Omit<ModelOptions, "group"> | AskedHandlers | AskedTexts;

/** Returns the name of the handlers that a model of a group has in its worker; `null` if it has none. */
function nameIn(asked: Asked): string | null {
  return "handlers" in asked ? (asked.handlers ?? null) : null;
}

/** Whether these handlers take items. Those of a model that generates take part in the choice of tokens. */
function hasItemHandlers(asked: Asked): asked is AskedHandlers {
  return nameIn(asked) !== null && !asked.generate;
}

/** Returns what models of tensors of a group take: items whose tensors may be in the worker, and may stay there. */
function groupedItems(tensors: KeptTensors): ItemsOf {
  return (reader, shared, options, { signature }) => {
    const kind = tensorItems(reader, shared);
    // A step of a sequence has its state in the worker, and nothing else.
    if (options.recurrent !== undefined) return kind;
    const batches = new KeptBatches(new RowBatches(reader, shared !== null, isSent), tensors, signature);
    const read = (item: unknown, isMoved: boolean) => reader.admit(item, isMoved ? moveBuffer : undefined);
    const admit = admitHeld(read, signature, tensors);
    return {
      ...kind,
      ...contentsOf(kind),
      admit: (item, isMoved) => admit(item, isMoved, null),
      prepare: (batch) => batches.prepare(batch),
      onSettled: (row) => row instanceof KeptRow && row.end(),
      openKept(queue, report) {
        const { plans } = reader;
        return new ModelKept({ signature, tensors, queue, admit, plans, handles: new Handles(report) });
      },
    };
  };
}

/** Rows whose tensors are in the worker, or stay there, are like no others. */
function contentsOf({ contentKey }: ItemKind<Item, PreparedItem, Outputs>) {
  if (contentKey === undefined) return {};
  return { contentKey: (row: PreparedItem) => (row instanceof KeptRow ? undefined : contentKey(row)) };
}
