import { createHash } from "node:crypto";
import type { Page } from "../browser/page.js";
import { SimBlob } from "../browser/blob.js";
import { modelFile, type ModelName, ODD_NAME } from "../runtime/models.js";
import { type Callable, callableOf, modelUrl, type Terms } from "./callable.js";
import type { FunctionRuns } from "./function-runs.js";
import { elementsOf } from "./items.js";
import { checkSize, checkSlots, checkWanted, itemFunctions, nestedItem, throwing } from "./item-functions.js";
import { openOther, type StateChange } from "./open-other.js";
import type { FunctionSubject, ItemSpec, PlainOptions, Subject } from "../scenario/scenario.js";

/** Opens a subject on its page, within a task of the page. */
export async function openSubject(
  subject: Subject,
  index: number,
  page: Page,
  runs: FunctionRuns,
  onState: (state: string) => void,
): Promise<Callable> {
  if (subject.kind === "function") return openFunction(subject, page, runs);
  const note = ({ detail: { state, error } }: StateChange) => {
    page.world.note(`state ${state} ${error?.message ?? ""}`);
    onState(state);
  };
  if (subject.kind !== "model") return openOther(subject, index, page, note);
  const { picked, ...options } = modelOptions(subject.model, subject.options);
  const source = picked === true ? pickedFile(subject.model, page) : modelUrl(subject.model);
  const model = await page.framebatch.createBatchedModel(source, options);
  model.addEventListener("statechange", note);
  return callableOf(model, subject.model === "odd" ? oddItem : undefined);
}

/** Returns the options of a model: samples become tensors, and `pin` the digest of that version. */
function modelOptions(model: ModelName, { samples, pin, ...options }: PlainOptions): PlainOptions {
  return {
    ...options,
    ...(Array.isArray(samples) && { samples: samples.map((x: number[]) => ({ x: Float32Array.from(x) })) }),
    ...(typeof pin === "number" && { integrity: digestOf(model, pin) }),
  };
}

function digestOf(model: ModelName, version: number): string {
  return `sha256-${createHash("sha256").update(modelFile(model, version)).digest("base64")}`;
}

/** A file that the user has picked is a `Blob` for framebatch, which types cannot know of a simulated one. */
function pickedFile(model: ModelName, { origin }: Page): Blob {
  return Object(new SimBlob([modelFile(model, 1)], {}, origin.files.picked));
}

function oddItem(item: ItemSpec): unknown {
  return { [ODD_NAME]: elementsOf(item) };
}

async function openFunction(subject: FunctionSubject, page: Page, runs: FunctionRuns): Promise<Callable> {
  const { witness } = page.origin;
  const run = (items: readonly ItemSpec[]) => {
    checkSize(subject.options, items.length, witness);
    checkSlots(subject.options, runs.running, witness);
    checkWanted(items, page.world.nowMs, witness);
    return throwing(subject.thrown, items, () => runs.run(items), witness);
  };
  const functions = itemFunctions(subject, witness);
  const call = page.framebatch.batched(run, { ...subject.options, ...functions });
  return {
    give: (item) => (subject.isNested ? { ...item, nested: nestedItem(witness) } : item),
    predict: (given, terms) => call(Object(given), plain(terms)),
    many: (given, terms) => call.many(Object(given), plain(terms)),
    stream: async function* (given, terms) {
      yield* await call.many(Object(given), plain(terms));
    },
    flush: () => call.flush(),
    restart: () => Promise.resolve(),
    dispose: () => call.dispose(),
    stats: () => call.stats(),
    state: "ready",
  };
}

/** A function has no tensors to transfer. */
function plain({ transfer, ...terms }: Terms): Omit<Terms, "transfer"> {
  void transfer;
  return terms;
}
