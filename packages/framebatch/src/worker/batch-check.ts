import { Collator } from "../core/collator.js";
import type { FramebatchError } from "../core/errors.js";
import { enclosing } from "../core/item-volume.js";
import type { ModelSignature } from "../core/model-signature.js";
import type { PaddingPlan } from "../core/padding-plan.js";
import type { BatchCheck, Provider } from "../core/protocol.js";
import type { Row } from "../core/row.js";
import type { Tensor } from "../core/tensor.js";
import { drawItems, type Draw } from "./check-items.js";
import { areAllAlike, difference, type Outputs } from "./check-tolerance.js";
import { endsWorker, runError } from "./runtime-error.js";

export type Tensors = Readonly<Record<string, Tensor>>;
export type RunFeeds = (feeds: Tensors) => Promise<Tensors>;

/** What is compared. */
export interface CheckSubject {
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly provider: Provider;
  /** Sizes to try for dynamic dimensions, in order. */
  readonly guesses: readonly number[];
  /** Rows that a batch may have. */
  readonly most: number;
  /** Runs one item: on the model as it came, where `runBatch` has a rewritten one. */
  readonly runAlone: RunFeeds;
  readonly runBatch: RunFeeds;
}

export type Finding = Omit<BatchCheck, "fromCache">;

/** Seeds of the first draw, and of the one that must confirm what the first found wrong. */
const SEEDS = [1, 2] as const;

/**
 * Compares a batch of made-up items with the same items one by one; where sizes are padded, the items of the batch are of
 * different sizes, and each alone is of its own. The way there and back is the one that real items take.
 *
 * Items that the model does not run even alone prove nothing, and others are tried: tables may be small, and shapes particular.
 * Items that run alone and not together prove that batches do not work.
 *
 * @param count items to compare, from 2
 * @throws what a run threw that ends the worker
 */
export async function checkBatches(subject: CheckSubject, count: number): Promise<Finding> {
  let obstacle = "";
  for (const draw of drawsFor(subject, count)) {
    const finding = await compareTwice(subject, draw);
    if ("obstacle" in finding) obstacle = finding.obstacle;
    else return finding;
  }
  return { outcome: "skipped", reason: `made-up items do not run, so nothing could be compared: ${obstacle}` };
}

/** Out-of-range ids are an error on WASM; WebGPU answers them with whatever lies there, which is no ground for a comparison. */
function drawsFor({ guesses, provider, most }: CheckSubject, wanted: number): Omit<Draw, "seed">[] {
  const count = Math.min(wanted, most);
  const ranges = provider === "wasm" ? [8, 2, 1] : [2, 1];
  return guesses.flatMap((guess) => ranges.map((integersBelow) => ({ count, guess, integersBelow })));
}

async function compareTwice(
  subject: CheckSubject,
  draw: Omit<Draw, "seed">,
): Promise<Finding | { readonly obstacle: string }> {
  const { count } = draw;
  const padded = subject.padding.paddedCount > 0 ? ", padded and not" : "";
  let found = "";
  for (const seed of SEEDS) {
    const compared = await compare(subject, { ...draw, seed });
    if ("obstacle" in compared) return compared;
    if (compared.difference === null) {
      const doubt = compared.areAlike ? ", but they answer alike whatever they hold" : "";
      return {
        outcome: "passed",
        reason: `${count} made-up items answer the same in a batch and alone${padded}${doubt}`,
      };
    }
    found = compared.difference;
  }
  return { outcome: "failed", reason: `made-up items answer otherwise in a batch than alone: ${found}` };
}

type Compared = { readonly obstacle: string } | { readonly difference: string | null; readonly areAlike: boolean };

async function compare({ signature, padding, runAlone, runBatch }: CheckSubject, draw: Draw): Promise<Compared> {
  const collator = new Collator(signature, padding);
  const rows = drawItems(signature, padding, draw).map((item) => collator.admit(item));
  const run = async (runFeeds: RunFeeds, group: readonly Row[], extents: readonly number[]) => {
    const paddedSize = signature.fixedBatch ?? group.length;
    const outputs = await runFeeds(collator.stack(group, paddedSize, extents));
    return collator.split(group, outputs, paddedSize, extents);
  };
  const alone: Outputs[] = [];
  const obstacle = await failureOf(async () => {
    for (const row of rows) alone.push(...(await run(runAlone, [row], row.sizes.slice(0, padding.paddedCount))));
  });
  if (obstacle !== null) return { obstacle: obstacle.message };
  let together: readonly Outputs[] = [];
  const extents = rows.map(({ shape }) => shape.extents).reduce(enclosing);
  const failure = await failureOf(async () => {
    together = await run(runBatch, rows, extents);
  });
  // That there is no memory for a batch says nothing of what it would answer.
  if (failure?.code === "OUT_OF_MEMORY") return { obstacle: failure.message };
  return { difference: failure?.message ?? difference(alone, together), areAlike: areAllAlike(alone) };
}

/** Why the task failed. @throws what ends the worker */
async function failureOf(task: () => Promise<void>): Promise<FramebatchError | null> {
  try {
    await task();
    return null;
  } catch (thrown) {
    if (endsWorker(thrown)) throw thrown;
    return runError(thrown).error;
  }
}
