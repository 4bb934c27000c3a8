import type { Page } from "../browser/page.js";
import { HANDLERS_OF_GROUPS, handledWorker } from "./handled.js";
import type { HubSubject } from "../scenario/kinds.js";
import type { ItemSpec } from "../scenario/scenario.js";
import { type Callable, callableOf, modelUrl } from "./callable.js";
import { elementsOf } from "./items.js";

/** States in which a model that a caller has kept is as good as the one that the hub would give. */
const USABLE: readonly string[] = ["ready", "recovering", "unloaded"];

/** Every so many calls, the caller uses the model that an earlier call got, which the hub may have unloaded since. */
const KEEPS_EVERY = 5;

/** Opens a hub on its page. A restart unloads a model, a flush asks how the models are. */
export function openHub({ options, models, group: bounds }: HubSubject, page: Page): Callable {
  const group = bounds && page.framebatch.createModelGroup({ ...bounds, worker: handledWorker(page) });
  const hub = page.framebatch.createModelHub({ ...options, ...(group && { group }) });
  const { witness } = page.origin;
  register(hub, models, page, group !== undefined);
  let unloads = 0;
  const nameOf = (id: number) => `model${id % models.length}`;
  const kept = new Map<string, Callable>();
  const modelFor = async (name: string, signal: AbortSignal): Promise<Callable> => {
    const model = await unlessAborted(hub.get(name), signal);
    if (model.state === "disposed") witness.broken("hub", `the hub gave ${name}, which was disposed of`);
    const callable = callableOf(model);
    kept.set(name, callable);
    return callable;
  };
  const keptFor = (name: string, id: number): Callable | null => {
    const model = kept.get(name);
    if (id % KEEPS_EVERY > 0 || model === undefined || !USABLE.includes(model.state)) return null;
    // What is kept is not exchanged for a new version.
    witness.excuse(id, "MODEL_INTEGRITY");
    return model;
  };
  let [last, lastId] = ["model0", 0];
  const disposing = new WeakSet<object>();
  // The model of a call is that of its last item.
  const give = (item: ItemSpec) => {
    [last, lastId] = [nameOf(item.id), item.id];
    const { is } = models[item.id % models.length]!;
    if (is === "missing") witness.excuse(item.id, "MODEL_STATUS");
    const given = is === "handled" ? { ...item } : { x: elementsOf(item) };
    if (item.act?.does === "dispose") disposing.add(given);
    return given;
  };
  return {
    give,
    predict: async (given, terms) => {
      const model = keptFor(last, lastId) ?? (await modelFor(last, terms.signal));
      const answer = model.predict(given, terms);
      checkHealth(hub, witness);
      if (disposing.has(Object(given))) {
        witness.hasDisposed = true;
        await model.dispose();
      }
      return answer;
    },
    many: async (given, terms) => (await modelFor(last, terms.signal)).many(given, terms),
    async *stream(given, terms) {
      yield* (await modelFor(last, terms.signal)).stream(given, terms);
    },
    flush: () => checkHealth(hub, witness),
    restart: () => hub.unload(nameOf(unloads++)),
    dispose: async () => {
      await hub.dispose();
      await group?.dispose();
    },
    stats: () => hub.stats(),
    state: "ready",
  };
}

function register(hub: Hub, models: HubSubject["models"], page: Page, isGrouped: boolean): void {
  const handlers = isGrouped ? { handlers: HANDLERS_OF_GROUPS } : { worker: handledWorker(page) };
  for (const [index, { is, options: given }] of models.entries()) {
    const { executionProviders, ...rest } = given;
    const own = isGrouped ? rest : { ...rest, executionProviders };
    if (is === "handled") hub.register(`model${index}`, modelUrl("affine"), Object({ ...own, ...handlers }));
    else hub.register(`model${index}`, modelUrl(is === "missing" ? is : "affine"), own);
  }
}

/** The call of `get` has no signal. A caller with one does not wait any longer. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(resolve, reject);
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

type Hub = ReturnType<Page["framebatch"]["createModelHub"]>;

/** What a hub says of its models agrees with itself. */
function checkHealth(hub: Hub, witness: Page["origin"]["witness"]): void {
  const { ready, models } = hub.health();
  for (const { name, state, reason } of hub.models()) {
    if (state === "READY" && !models[name]) witness.broken("hub", `${name} is READY, and its health is not`);
    if (state === "UNAVAILABLE" && ready && /expected|got/.test(reason))
      witness.broken("hub", `${name} is unavailable (${reason}), and the hub says that it is ready`);
  }
}
