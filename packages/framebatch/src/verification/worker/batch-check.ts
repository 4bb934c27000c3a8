import { type ExecutionProvider, traitsOf } from "../../transport/providers.js";
import { Collator } from "@framebatch/rows/collate/collator.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { compareBatches, type Compared, type ComparedRows, type Comparison } from "./compare-batches.js";
import type { GraphReading } from "../../worker/graph/graph-reading.js";
import { type Draw, drawItems, type GeneratedItem, hasLastBits } from "./items.js";
import { CheckRuns, type RowRunner, type RunFeeds, type Tensors } from "./check-runs.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { TensorData, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import { elementsOf } from "@framebatch/rows/tensor/half-float.js";

/** Version of the rules. Increase it whenever a model may get another verdict: stored verdicts are keyed by it. */
export const RULES_VERSION = 7;

/** The model to check. */
export interface CheckSubject extends Compared {
  readonly provider: ExecutionProvider;
  /** Sizes to try for dynamic dimensions, in order. */
  readonly guesses: readonly number[];
}

/** The outcome of a check, with a human-readable reason. */
export interface Finding {
  readonly outcome: "passed" | "failed" | "inconclusive";
  readonly reason: string;
  /** Whether an item's answer depends on what shares its batch. */
  readonly isMixing?: true;
  /** Outputs by which items have differed, and so none that mixes, if others are left. */
  readonly told?: ReadonlySet<string>;
}

/** Maximum number of items that are compared with each other. */
export const COMPARED_ITEMS = 4;
const GENERATED = "generated items";
/** Number of draws without a result after which the check ends: further draws are unlikely to give one. */
const MAX_TELLING_NOTHING = 2;

/**
 * Compares batches of generated items with each other and with the items run alone. If the model does not run the items
 * even alone, that proves nothing, and the check tries other items: lookup tables may be small, and shapes may be
 * specific.
 *
 * @throws an error that ends the worker
 */
export async function checkGenerated(subject: CheckSubject): Promise<Finding> {
  const proved = provedBy(subject.graph);
  if (proved !== null) return proved;
  let obstacle = "";
  const toldNothing: string[] = [];
  let told: ReadonlySet<string> = new Set();
  for (const draw of drawsFor(subject)) {
    const comparison = await compareDraw(subject, { ...draw, seed: 1 }, told);
    const { found, text } = comparison;
    told = comparison.told ?? told;
    if (found === "same") return passed(subject, GENERATED);
    if (found === "mates") return mixing(GENERATED, text);
    if (found === "batch") return confirm(subject, GENERATED, await compareDraw(subject, { ...draw, seed: 2 }), text);
    if (found === "nothing") toldNothing.push(text);
    else obstacle = text;
    if (toldNothing.length === MAX_TELLING_NOTHING) break;
  }
  const [reason] = toldNothing;
  return reason === undefined
    ? inconclusive(`generated items do not run: ${obstacle}`)
    : inconclusive(`generated items tell nothing: ${reason}`, told);
}

/**
 * Compares items of a caller in the same way. Their batch-mates are also much louder, quieter and negative variants of
 * other items, because real items may all be alike. If not all of them can share a batch, because their sizes differ
 * too much, compares only those that can share one with the first. A difference between a batch and single items must
 * be confirmed with other items, so such a verdict needs at least 4 items.
 *
 * @param told outputs by which items of other checks have differed
 * @throws INVALID_INPUT when an item does not fit the model
 * @throws an error that ends the worker
 */
export async function checkItems(
  subject: CheckSubject,
  items: readonly GeneratedItem[],
  told?: ReadonlySet<string>,
): Promise<Finding> {
  const proved = provedBy(subject.graph);
  if (proved !== null) return proved;
  const collator = new Collator(subject.signature, subject.padding);
  const rows = items.map((item) => collator.admit(item));
  const alike = rows.filter(({ shape }) => shape.group === rows[0]?.shape.group);
  if (alike.length < 2) return inconclusive("expected at least 2 items that may share a batch, got fewer");
  const runs = new CheckRuns(subject, collator, alike);
  const lineup = lineUp(subject, alike);
  const { found, text, ...comparison } = await compareAmongExtremes(subject, runs, lineup, told);
  switch (found) {
    case "same":
      return passed(subject, "items");
    case "mates":
      return mixing("items", text);
    case "batch": {
      if (alike.length < 2 * lineup.rows.length) return unconfirmed("items", text);
      const again = await compareBatches(subject, runs, { rows: lineup.mates, mates: lineup.rows });
      return confirm(subject, "items", again, text);
    }
    case "nothing":
      return inconclusive(`items tell nothing: ${text}`, comparison.told);
    case "obstacle":
      return inconclusive(`items do not run: ${text}`);
  }
}

/** Compares rows among extreme batch-mates; among the given ones if the model does not run the extreme ones. */
async function compareAmongExtremes(
  subject: CheckSubject,
  runs: CheckRuns,
  lineup: ComparedRows,
  told?: ReadonlySet<string>,
): Promise<Comparison> {
  const mates = extremeMates(lineup.mates, subject.signature);
  const comparison = await compareBatches(subject, runs, { ...lineup, mates }, told);
  return comparison.found === "obstacle" ? compareBatches(subject, runs, lineup, told) : comparison;
}

/** Compares half of the items and uses the others as replacements; of three items, one is the replacement of two. */
function lineUp({ most }: RowRunner, all: readonly PreparedItem[]): ComparedRows {
  const count = Math.max(2, Math.min(most, all.length >> 1, COMPARED_ITEMS));
  const rows = all.slice(0, count);
  const others = all.length > count ? all.slice(count) : rows.toReversed();
  return { rows, mates: rows.flatMap((_, place) => others[place % others.length] ?? []) };
}

type Unseeded = Omit<Draw, "seed">;

/**
 * Returns the draws to try, in order. For an out-of-range id, WASM reports an error; WebGPU returns arbitrary data,
 * which cannot be compared.
 */
function drawsFor({ signature, guesses, provider, most }: CheckSubject): Unseeded[] {
  const count = Math.max(Math.min(COMPARED_ITEMS, most), 2);
  const ranges = traitsOf(provider).checksIndices ? [8, 2, 1] : [2, 1];
  const hasFloats = signature.inputs.some(({ type }) => type.startsWith("float"));
  const spreads = hasFloats ? (["signed", "unit"] as const) : (["signed"] as const);
  return guesses.flatMap((guess) =>
    ranges.flatMap((integersBelow) => spreads.map((spread) => ({ count, guess, integersBelow, spread }))),
  );
}

function compareDraw(subject: CheckSubject, draw: Draw, told?: ReadonlySet<string>): Promise<Comparison> {
  const { signature, padding } = subject;
  const collator = new Collator(signature, padding);
  const { compared, mates } = drawItems(signature, padding, draw);
  const lineup = {
    rows: compared.map((item) => collator.admit(item)),
    mates: mates.map((item) => collator.admit(item)),
  };
  return compareBatches(subject, new CheckRuns(subject, collator, [...lineup.rows, ...lineup.mates]), lineup, told);
}

/**
 * Confirms a difference with a second comparison: an output that flips at a tie flips for some items, not for the next.
 */
function confirm(subject: CheckSubject, items: string, { found, text }: Comparison, before: string): Finding {
  if (found === "same") return passed(subject, items);
  if (found === "mates") return mixing(items, text);
  if (found !== "batch") return unconfirmed(items, before);
  return { outcome: "failed", reason: `${items} answer otherwise in a batch than alone: ${text}` };
}

function unconfirmed(items: string, text: string): Finding {
  return inconclusive(`${items} answer otherwise in a batch than alone, and no others could confirm it: ${text}`);
}

function passed({ padding }: CheckSubject, items: string): Finding {
  const padded = padding.paddedCount > 0 ? ", padded and not" : "";
  return {
    outcome: "passed",
    reason: `${items} answer the same alone and in batches, whatever shares the batch${padded}`,
  };
}

/** Returns the finding that needs no comparison; `null` if the graph proves none. */
export function provedBy({ mixing: node, shared }: GraphReading): Finding | null {
  const reason = node === null ? shared : `the model works across the batch: ${node}`;
  return reason === null ? null : { outcome: "failed", reason, isMixing: true };
}

function mixing(items: string, text: string): Finding {
  const reason = `the answers of ${items} change with what else is in the batch: ${text}`;
  return { outcome: "failed", reason, isMixing: true };
}

function inconclusive(reason: string, told?: ReadonlySet<string>): Finding {
  return { outcome: "inconclusive", reason, ...(told !== undefined && { told }) };
}

/**
 * Factors of floating-point elements, so that real items of one loudness show what depends on the loudness of others.
 */
const FACTORS = [1000, 0.001, -30, 1] as const;

/**
 * Returns the rows with their floating-point elements much larger, smaller or of the other sign, each in its own way.
 */
function extremeMates(rows: readonly PreparedItem[], signature: ModelSignature): readonly PreparedItem[] {
  return rows.map((row, place) => scaleRow(row, signature, FACTORS[place % FACTORS.length] ?? 1));
}

function scaleRow(row: PreparedItem, { inputs }: ModelSignature, factor: number): PreparedItem {
  const data = row.data.map((elements, input) => {
    const info = inputs[input];
    const isKept = elements === null || info === undefined || !hasLastBits(info);
    return isKept ? elements : multiply(elements, info, factor);
  });
  return { ...row, data };
}

function multiply(data: TensorData, { type }: TensorInfo, factor: number): TensorData {
  const element = elementOf(type);
  const elements = elementsOf({ type, data, dims: [] });
  const copy = element.create(elements.length);
  const target = writable(copy);
  for (let index = 0; index < elements.length; index++) target[index] = element.parse(Number(elements[index]) * factor);
  return copy;
}

/** Where a check runs its rows: items alone, and batches. */
export interface RunPaths {
  readonly alone: RunFeeds;
  readonly batch: RunFeeds;
}

/**
 * A check that stops between two runs when its time is over, and goes on from there, perhaps on other paths. Only the
 * whole check has a finding.
 */
export class PacedCheck {
  readonly #check: (paths: RunPaths) => Promise<Finding>;
  readonly #predictMs: (feeds: Tensors) => number;
  #finding: Promise<Finding> | null = null;
  #paths: RunPaths | null = null;
  #untilMs = 0;
  /** Ends the wait of the caller. */
  #stop: () => void = () => undefined;
  /** Begins the run that has no time left. */
  #resume: () => void = () => undefined;

  /** @param predictMs returns the predicted time of a run, in milliseconds */
  constructor(check: (paths: RunPaths) => Promise<Finding>, predictMs: (feeds: Tensors) => number) {
    this.#check = check;
    this.#predictMs = predictMs;
  }

  /** Makes the runs that fit into the time. Returns `null` if some are left. @throws the error of the check */
  within(budgetMs: number, paths: RunPaths): Promise<Finding | null> {
    this.#paths = paths;
    this.#untilMs = performance.now() + budgetMs;
    const stopped = new Promise<null>((resolve) => (this.#stop = () => resolve(null)));
    // A check begins its first run at once. If there is no time for it, that run waits for the next call, not for this
    // one.
    if (this.#finding === null) this.#finding = this.#begin();
    else this.#resume();
    return Promise.race([this.#finding, stopped]);
  }

  #begin(): Promise<Finding> {
    return this.#check({
      alone: (feeds) => this.#run("alone", feeds),
      batch: (feeds) => this.#run("batch", feeds),
    });
  }

  async #run(path: keyof RunPaths, feeds: Tensors): Promise<Tensors> {
    if (performance.now() + this.#predictMs(feeds) >= this.#untilMs) {
      const resumed = new Promise<void>((resolve) => (this.#resume = resolve));
      this.#stop();
      await resumed;
    }
    if (this.#paths === null) throw new TypeError("expected paths for a run, got none");
    return this.#paths[path](feeds);
  }
}
