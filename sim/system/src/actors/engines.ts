import type { Page } from "../browser/page.js";
import type { Realm } from "../kernel/realm.js";
import { callableOfItems, workerAt } from "./handled.js";
import type { Callable } from "./callable.js";
import { expectedOf } from "./items.js";
import type { EngineSubject } from "../scenario/kinds.js";
import type { StateChange } from "./open-other.js";
import type { ItemSpec } from "../scenario/scenario.js";

/** Address of the caller's own worker, which has an engine. */
export const ENGINE_WORKER = "https://app.example/engine.worker.js";

/** The time that the engine takes to load, and to end, in milliseconds. */
const LOAD_MS = 5;
const END_MS = 2;

/** The items from this number on are samples: nobody asks about them. */
export const FIRST_SAMPLE = 901;

/** Returns an engine that computes what a model does for each item. It is asked for one thing at a time. */
export function simEngine(realm: Realm): object {
  let isBusy = false;
  let life: "new" | "loaded" | "over" = "new";
  const alone = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    if (isBusy) realm.origin.witness.broken("engine", `${what} while the engine works`);
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  };
  return {
    load: () =>
      alone("load", async () => {
        if (life !== "new") realm.origin.witness.broken("engine", `an engine that is ${life} is loaded`);
        await working(realm, LOAD_MS);
        life = "loaded";
      }),
    run: (items: readonly ItemSpec[]) => {
      if (life !== "loaded") realm.origin.witness.broken("engine", `an engine that is ${life} runs`);
      return alone("a run", () => compute(realm, items));
    },
    dispose: () =>
      alone("dispose", async () => {
        if (life !== "loaded") realm.origin.witness.broken("engine", `an engine that is ${life} ends`);
        life = "over";
        await working(realm, END_MS);
      }),
  };
}

/** Computes the results of items, as their acts, their poisons and the fate of the run say. */
async function compute(realm: Realm, items: readonly ItemSpec[]): Promise<unknown> {
  const { fates, witness } = realm.origin;
  const drawn = fates.next();
  // An engine that throws for a sample has failed, as its documentation says.
  const fate = drawn === "fail" && items.every(({ id }) => id >= FIRST_SAMPLE) ? "well" : drawn;
  realm.world.note(`engine ${items.map(({ id }) => id).join()} ${fate}`);
  const isEnd = fate === "exit" || fate === "trap" || fate === "oom";
  const isHanging = fate === "hang" || items.some(({ poison }) => poison === "hang");
  if (isEnd || isHanging) blame(realm, items);
  if (isHanging) realm.occupy(Infinity);
  if (isEnd) realm.end();
  if (isEnd || isHanging) return new Promise(() => undefined);
  const lost = () => blameAlone(realm, items);
  realm.ends.add(lost);
  const ms = fates.baseMs + fates.rowMs * items.length;
  await working(realm, fate === "slow" ? 20 * ms : ms);
  realm.ends.delete(lost);
  if (fate === "fail" || items.some(({ poison }) => poison !== undefined)) {
    for (const { id } of items) if (fate === "fail") witness.excuse(id, "HANDLER_FAILED");
    for (const { id, poison } of items) if (poison !== undefined) witness.excuse(id, "HANDLER_FAILED");
    throw new Error("on purpose");
  }
  return items.map((item) => resultOf(item, realm));
}

function resultOf(item: ItemSpec, realm: Realm): unknown {
  if (item.act?.does !== "throw") return expectedOf({ id: item.id }, 1);
  realm.origin.witness.excuse(item.id, "HANDLER_FAILED");
  return new Error(`item ${item.id}`);
}

/** The worker ends with this run: that of an item which is alone, or whose poison it was, may fail. */
function blame(realm: Realm, items: readonly ItemSpec[]): void {
  realm.origin.fates.fatal += 1;
  blameAlone(realm, items);
}

function blameAlone(realm: Realm, items: readonly ItemSpec[]): void {
  const [only, ...others] = new Set(items.map(({ id }) => id));
  if (only !== undefined && others.length === 0) realm.origin.fates.failedAlone.add(only);
}

function working(realm: Realm, ms: number): Promise<void> {
  return new Promise((resolve) => void realm.world.reply(realm, ms, "engine", resolve));
}

/** Opens an engine in a worker on its page. */
export async function openEngine(
  { options }: EngineSubject,
  page: Page,
  onState: (change: StateChange) => void,
): Promise<Callable> {
  const worker = workerAt(page, ENGINE_WORKER);
  const opened = await page.framebatch.createBatchedWorker<unknown, unknown>(worker, options);
  opened.addEventListener("statechange", onState);
  return callableOfItems(opened);
}
