import { PoisonError, SLOTS } from "./function-runs.js";
import { expectedOf } from "./items.js";
import type { FunctionSubject, ItemSpec, PlainOptions, Subject } from "../scenario/scenario.js";
import { thrownValue } from "../scenario/thrown.js";
import type { Witness } from "../logs/witness.js";

/** Runs a function that, if it fails, throws a value of a kind, or returns a result too many before the others. */
export async function throwing(
  kind: FunctionSubject["thrown"],
  items: readonly ItemSpec[],
  run: () => Promise<unknown[]>,
  witness: Witness,
): Promise<unknown[]> {
  try {
    return await run();
  } catch (error) {
    if (kind === undefined || !(error instanceof PoisonError)) throw error;
    const thrown = kind === "surplus" ? "INFERENCE_FAILED" : thrownValue(kind, "a run");
    const isAlone = new Set(items.map(({ id }) => id)).size === 1;
    for (const { id, poison } of items) if (isAlone || poison !== undefined) witness.excuse(id, thrown);
    if (kind !== "surplus") throw thrown;
    return [[], ...items.map((item) => expectedOf(item, 1))];
  }
}

/** Places of the functions of an item, for the acts of items. */
const PLACES = { shapeOf: 0, contentKey: 1 } as const;

/** How large items are that are not of size 1. Their runs take no longer for it, so that predictions are off by as much. */
const LARGE = 10;

/** How many times as large the largest items of a subject say they are as its smallest. */
export function spreadOf(subject: Subject): number {
  return subject.kind === "function" && subject.functions?.includes("shapeOf") === true ? LARGE : 1;
}

/** Returns the functions of an item that a subject has. `shapeOf` uses its array again, as callers do who save garbage. */
export function itemFunctions({ functions = [] }: FunctionSubject, witness: Witness): object {
  const extents = [0];
  const all = {
    shapeOf: (item: ItemSpec) => {
      act("shapeOf", item, witness);
      extents[0] = item.id % 2 === 0 ? 1 : LARGE;
      return { group: "", extents };
    },
    contentKey: (item: ItemSpec) => {
      act("contentKey", item, witness);
      return `${item.id} ${item.poison}`;
    },
  };
  return Object.fromEntries(functions.map((name) => [name, all[name]]));
}

function act(name: keyof typeof PLACES, { id, act: does }: ItemSpec, witness: Witness): void {
  if (does?.at !== PLACES[name]) return;
  if (does.does === "dispose") witness.askerOf(id)?.dispose();
  if (does.does === "abort") witness.askerOf(id)?.abort();
  if (does.does !== "throw") return;
  const thrown = thrownValue(does.thrown, name);
  witness.excuse(id, thrown);
  throw thrown;
}

/** A run has a size that the options allow. */
export function checkSize({ allowedBatchSizes, maxBatchSize }: PlainOptions, size: number, witness: Witness): void {
  const isAllowed = !Array.isArray(allowedBatchSizes) || allowedBatchSizes.includes(size);
  const isSmall = typeof maxBatchSize !== "number" || size <= maxBatchSize;
  if (!isAllowed || !isSmall) witness.broken("sizes", `a run has ${size} items`);
}

/** @param running the runs in progress when another one begins */
export function checkSlots({ batching }: PlainOptions, running: number, witness: Witness): void {
  if (batching !== false && running >= SLOTS) witness.broken("sizes", `a run begins beside ${running} others`);
}

/** Levels of lists that each hold the next one twice. */
const LEVELS = 9;
/** How often an item may be read, at most: a few passes over what it holds. */
const MOST_READS = 40;

/** Returns an object that is contained in an item many times, and that counts how often it is read. */
export function nestedItem(witness: Witness): unknown {
  let reads = 0;
  const ownKeys = (target: object) => {
    reads += 1;
    if (reads === MOST_READS) witness.broken("reads", `an object in an item was read ${reads} times`);
    return Reflect.ownKeys(target);
  };
  let nested: unknown = new Proxy({ leaf: 1 }, { ownKeys });
  for (let level = 0; level < LEVELS; level++) nested = [nested, nested];
  return nested;
}

/** A run never begins with an item that nobody has waited for since an earlier task. */
export function checkWanted(items: readonly ItemSpec[], nowMs: number, witness: Witness): void {
  const unwanted = items.find(
    ({ id }) => witness.isAskedOnce(id) && (witness.askerOf(id)?.overAtMs() ?? nowMs) < nowMs,
  );
  if (unwanted !== undefined)
    witness.broken("unwanted", `a run began with item ${unwanted.id}, which nobody waits for`);
}
