import type { Page } from "../browser/page.js";
import { codeOf } from "../logs/error-code.js";
import { isDecoder, MODELS, type ModelName, type RecurrentName } from "../runtime/models.js";
import { type Callable, callableOf, modelUrl } from "./callable.js";
import { callableOfItems, HANDLERS_OF_GROUPS, handledWorker } from "./handled.js";
import type { GroupModelSpec, GroupSubject } from "../scenario/kinds.js";
import type { StateChange } from "./open-other.js";
import { REMEMBERING_OF_GROUPS } from "./remembering.js";
import { encoderCallable, textsCallable, textsOptions } from "./texts.js";
import { recurrentOptions, rememberedSequence, sequenceOf } from "./sequences.js";

/** What a load reports, as far as the caller looks. */
interface Progress {
  readonly phase: string;
}

/** Opens a group. It can be used, and disposed of, while its models open. */
export function openGroup(
  { options, models }: GroupSubject,
  page: Page,
  onState: (change: StateChange) => void,
): Callable {
  const hasHandlers = models.some((model) => model.hasHandlers === true);
  const group = page.framebatch.createModelGroup({ ...options, ...(hasHandlers && { worker: handledWorker(page) }) });
  const places = models.map(({ sequences }, index) => placeOf(models, index, sequences.length));
  const parts: (Callable | null)[] = places.flatMap(({ size }) => Array.from({ length: size }, () => null));
  const encoder = () => parts.find((part) => part?.keep !== undefined) ?? null;
  let isDisposed = false;
  const dispose = () => {
    isDisposed = true;
    page.origin.witness.hasDisposed = true;
    return group.dispose();
  };
  const open = async (spec: GroupModelSpec, at: number) => {
    const onProgress = ({ phase }: Progress) => void (phase === spec.endsGroupAt && dispose());
    const opened = await openModel(
      { ...spec, options: { ...spec.options, onProgress } },
      group,
      page,
      onState,
      encoder,
    );
    if (isDisposed) checkEnded(opened, page);
    for (const [index, part] of opened.entries()) parts[at + index] = part;
  };
  for (const [index, spec] of models.entries()) {
    let isOver = false;
    page.origin.witness.opens(`opening of model ${index} of a group`, () => isOver || page.isEnded || page.isFrozen);
    open(spec, places[index]!.at)
      .catch((error: unknown) => judge(error, spec, isDisposed, page))
      .finally(() => (isOver = true));
  }
  return {
    give: () => null,
    predict: () => Promise.reject(new TypeError("a group has models")),
    many: () => Promise.reject(new TypeError("a group has models")),
    stream: () => {
      throw new TypeError("a group has models");
    },
    flush: () => checkCount(group.stats().models, parts, page),
    restart: () => Promise.resolve(),
    dispose,
    stats: () => group.stats(),
    state: "ready",
    parts,
  };
}

/** Where the parts of a model are among those of its group. */
function placeOf(models: readonly GroupModelSpec[], index: number, sequences: number): { at: number; size: number } {
  const at = models.slice(0, index).reduce((sum, before) => sum + 1 + before.sequences.length, 0);
  return { at, size: 1 + sequences };
}

async function openModel(
  { model: name, options, sequences, hasHandlers, isRemembered }: GroupModelSpec,
  group: ReturnType<Page["framebatch"]["createModelGroup"]>,
  page: Page,
  onState: (change: StateChange) => void,
  encoder: () => Callable | null,
): Promise<Callable[]> {
  if (hasHandlers === true) {
    const handled = { ...options, group, handlers: isRemembered === true ? REMEMBERING_OF_GROUPS : HANDLERS_OF_GROUPS };
    const model = await page.framebatch.createBatchedModel<unknown, unknown>(modelUrl(name), handled);
    model.addEventListener("statechange", onState);
    return [callableOfItems(model), ...sequences.map((spec) => rememberedSequence(model, spec, page))];
  }
  if (isDecoder(name)) {
    const model = await page.framebatch.createBatchedModel(modelUrl(name), { ...textsOptions(options), group });
    model.addEventListener("statechange", onState);
    return [textsCallable(model, options, page, encoder)];
  }
  const own = isRecurrent(name) ? recurrentOptions(name, options) : options;
  const model = await page.framebatch.createBatchedModel(modelUrl(name), { ...own, group });
  model.addEventListener("statechange", onState);
  if (name === "encoder") return [encoderCallable(model)];
  if (!isRecurrent(name)) return [callableOf(model)];
  return [callableOf(model), ...sequences.map((spec) => sequenceOf(model, name, spec, page))];
}

function isRecurrent(name: ModelName | "missing"): name is RecurrentName {
  return name !== "missing" && MODELS[name].states !== undefined;
}

/** A model opens, unless its file is not there, its group has ended, or the worker was lost. */
function judge(error: unknown, { model }: GroupModelSpec, isDisposed: boolean, page: Page): void {
  const { witness, fates, files } = page.origin;
  const code = codeOf(error);
  const isExpected = model === "missing" ? code === "MODEL_STATUS" : false;
  if (
    isExpected ||
    (isDisposed && code === "DISPOSED") ||
    (code !== null && (fates.fatal > 0 || fates.isDisturbed || files.hasFailed))
  )
    return;
  witness.broken("opening", `a model of a group did not open: ${String(error)}`);
}

/** A model that opens while its group ends has ended with it. */
function checkEnded(opened: readonly Callable[], { origin: { witness } }: Page): void {
  if (opened[0]?.state !== "disposed") witness.broken("groups", "a model of a group that has ended stays open");
}

/** A group counts the models that have opened, and have not been disposed of. */
function checkCount(count: number, parts: readonly (Callable | null)[], page: Page): void {
  if (count > parts.length) page.origin.witness.broken("groups", `a group counts ${count} models of ${parts.length}`);
}
