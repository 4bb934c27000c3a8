import type { Page } from "../browser/page.js";
import type { Realm } from "../kernel/realm.js";
import { realmNow } from "../kernel/stage.js";
import type { HandledSubject } from "../scenario/kinds.js";
import type { StateChange } from "./open-other.js";
import type { ItemSpec } from "../scenario/scenario.js";
import { type AnyModel, type Callable, callableOf, modelUrl } from "./callable.js";
import { elementsOf } from "./items.js";
import { thrownValue } from "../scenario/thrown.js";

/** Address of the caller's own worker, which has handlers. */
export const HANDLED_WORKER = "https://app.example/handled.worker.js";

/** The name under which models of groups have its handlers. */
export const HANDLERS_OF_GROUPS = "handled";

/** The handlers of the caller's worker. Their place is 0 for `preprocess` and 1 for `postprocess`. */
export const HANDLERS = {
  async preprocess(item: ItemSpec): Promise<{ x: Float32Array }> {
    await mayFail(item, 0);
    return { x: elementsOf(item) };
  },

  async postprocess({ y }: { readonly y: { readonly data: Float32Array } }, item: ItemSpec): Promise<unknown> {
    await mayFail(item, 1);
    const { witness } = realmNow().origin;
    if (item.act?.at === 1 && item.act.does === "unsendable") {
      witness.excuse(item.id, "HANDLER_FAILED");
      return unsendable(item.id);
    }
    return { y: { data: y.data.slice() } };
  },
};

/** Does what an item asks of a handler. @param at 0 for `preprocess`, 1 for `postprocess` */
export async function mayFail({ id, act, slowMs }: ItemSpec, at: number): Promise<void> {
  const realm = realmNow();
  if (slowMs !== undefined) await working(realm, slowMs, id);
  if (act?.at === at && act.does === "hang") return hang(realm, id);
  if (act?.at !== at || act.does !== "throw") return;
  realm.origin.witness.excuse(id, "HANDLER_FAILED");
  throw thrownValue(act.thrown, `handler ${at}`);
}

/** Blocks the thread forever. */
function hang(realm: Realm, id: number): Promise<never> {
  realm.world.note(`handler of ${id} hangs`);
  realm.occupy(Infinity);
  realm.origin.fates.fatal += 1;
  // Something else may end its worker before the page has noticed.
  for (const code of ["WORKER_HUNG", "WORKER_CRASHED"]) realm.origin.witness.excuse(id, code);
  return new Promise(() => undefined);
}

/** Works on an item for some time. A worker that ends meanwhile ends with its run. */
async function working(realm: Realm, ms: number, id: number): Promise<void> {
  const lost = () => void realm.origin.fates.failedAlone.add(id);
  realm.ends.add(lost);
  await new Promise<void>((resolve) => void realm.world.reply(realm, ms, "handler", resolve));
  realm.ends.delete(lost);
}

/** Something that no message can hold. */
function unsendable(id: number): unknown {
  if (id % 2 === 0) return { call: () => undefined };
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return { buffer };
}

/** Returns the option `worker` of a page. */
export function handledWorker(page: Page): () => Worker {
  return workerAt(page, HANDLED_WORKER);
}

/** Returns what starts the caller's own worker at an address. */
export function workerAt(page: Page, address: string): () => Worker {
  const PageWorker: typeof Worker = Object(page.scope["Worker"]);
  return () => new PageWorker(address);
}

/** Returns the calls of a model with handlers. */
export function callableOfItems(model: AnyModel): Callable {
  const spoil = (given: unknown) => void Object.assign(Object(given), { id: -1 });
  return callableOf(model, (item) => ({ ...item }), spoil);
}

/** Opens a model with handlers on its page. */
export async function openHandled(
  { model: name, options }: HandledSubject,
  page: Page,
  onState: (change: StateChange) => void,
): Promise<Callable> {
  const worker = handledWorker(page);
  const model = await page.framebatch.createBatchedModel<unknown, unknown>(modelUrl(name), { ...options, worker });
  model.addEventListener("statechange", onState);
  return callableOfItems(model);
}
