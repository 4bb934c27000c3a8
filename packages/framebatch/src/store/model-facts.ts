import { promisifyRequest } from "idb-keyval";
import type { CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import { isProvider, type ProviderCheck } from "../transport/providers.js";
import type { BatchCheck, WayRecord } from "../transport/protocol.js";
import { factsKey, type ModelDatabase } from "./model-database.js";
import type { Deadline } from "@framebatch/host/deadline.js";

/** What earlier sessions learned about a model; `null` for what none of them learned. */
export interface Facts {
  readonly costs: CostModelData | null;
  readonly batchCheck: BatchCheck | null;
  readonly ways: WayRecord | null;
  readonly providerCheck: ProviderCheck | null;
}

/** Facts hold only for these bytes and this context: provider, adapter, runtime version and relevant options. */
export interface FactsKey {
  readonly sha256: string;
  readonly context: string;
}

export const NO_FACTS: Facts = { costs: null, batchCheck: null, ways: null, providerCheck: null };

/** Maximum number that is read back: the volume of a batch of 4096 items of maximum volume. */
const MOST = 2 ** 65;

/** Maximum number of ways that are read back. */
const MAX_TRIALS = 64;

/** Maximum number of shapes that are read back. No batcher meets as many. */
const MAX_SHAPES = 4096;

/** Facts, stored next to the models in the cache. Removing a model removes its facts. */
export class ModelFacts {
  readonly #database: ModelDatabase;

  constructor(database: ModelDatabase) {
    this.#database = database;
  }

  async read({ sha256, context }: FactsKey, deadline: Deadline): Promise<Facts> {
    const key = factsKey(sha256, context);
    return deadline.wait(() =>
      this.#database.manifests("readonly", async (store) =>
        validFacts(await promisifyRequest<unknown>(store.get(key))),
      ),
    );
  }

  /** Writes the fields in `change` and keeps the others. */
  async write({ sha256, context }: FactsKey, change: Partial<Facts>, deadline: Deadline): Promise<void> {
    const key = factsKey(sha256, context);
    await deadline.wait(() =>
      this.#database.manifests("readwrite", async (store) => {
        const old = validFacts(await promisifyRequest<unknown>(store.get(key)));
        store.put({ version: 1, ...old, ...change }, key);
        return promisifyRequest(store.transaction);
      }),
    );
  }
}

/** Returns the fields that have a valid structure. Any script of this origin can write to the database. */
function validFacts(found: unknown): Facts {
  if (!isStoredRecord(found) || found["version"] !== 1) return NO_FACTS;
  const { costs, batchCheck, ways, providerCheck } = found;
  return {
    costs: isCosts(costs) ? costs : null,
    batchCheck: isBatchCheck(batchCheck) ? batchCheck : null,
    ways: isWayRecord(ways) ? ways : null,
    providerCheck: isProviderCheck(providerCheck) ? providerCheck : null,
  };
}

export function isCosts(value: unknown): value is CostModelData {
  if (!isStoredRecord(value) || value["version"] !== 1) return false;
  const { shapes } = value;
  return Array.isArray(shapes) && shapes.length <= MAX_SHAPES && shapes.every(isShape);
}

function isShape(value: unknown): boolean {
  if (!isStoredRecord(value)) return false;
  const { size, volume, meanVolume, meanMs, deviationMs, weight } = value;
  return (
    Number.isSafeInteger(size) &&
    Number(size) > 0 &&
    // An empty item has volume 0.
    [volume, meanVolume, meanMs, deviationMs, weight].every(isAmount)
  );
}

function isBatchCheck(value: unknown): value is BatchCheck {
  if (!isStoredRecord(value)) return false;
  const { outcome, reason, fromCache } = value;
  return (outcome === "passed" || outcome === "failed") && typeof reason === "string" && typeof fromCache === "boolean";
}

function isProviderCheck(value: unknown): value is ProviderCheck {
  if (!isStoredRecord(value)) return false;
  const { provider, outcome, reason, comparedSizes, fromCache } = value;
  const isKnown = outcome === "passed" || outcome === "failed";
  const isText = typeof reason === "string" && typeof fromCache === "boolean";
  return isKnown && isText && isProvider(provider) && isListOf(comparedSizes, (size) => isListOf(size, isAmount));
}

function isWayRecord(value: unknown): value is WayRecord {
  if (!isStoredRecord(value)) return false;
  const { best, trials, measuredAtMs } = value;
  return isWay(best) && isListOf(trials, isTrial) && isAmount(measuredAtMs);
}

function isListOf(value: unknown, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MAX_TRIALS && value.every(isElement);
}

function isTrial(value: unknown): boolean {
  if (!isStoredRecord(value) || !isWay(value)) return false;
  const { chosen, reason, msPerItem, agrees } = value;
  const isTimes = isStoredRecord(msPerItem) && Object.values(msPerItem).every(isAmount);
  return (
    typeof chosen === "boolean" &&
    typeof reason === "string" &&
    isTimes &&
    (agrees === null || typeof agrees === "boolean")
  );
}

function isWay(value: unknown): boolean {
  if (!isStoredRecord(value)) return false;
  const { provider, numThreads } = value;
  return (
    isProvider(provider) && Number.isSafeInteger(numThreads) && Number(numThreads) >= 1 && Number(numThreads) <= 64
  );
}

/** Returns true for a number from 0 to `MOST`. The bound keeps sums of products of such numbers from overflowing. */
function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= MOST;
}

function isStoredRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
