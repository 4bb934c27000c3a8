import { type ExecutionProvider, traitsOf } from "../../core/providers.js";
import { Collator } from "../../core/collate/collator.js";
import type { ModelSignature } from "../../core/model/signature.js";
import type { Row } from "../../core/collate/prepared-item.js";
import { compareBatches, type Compared, type Comparison, type Lineup } from "./compare-batches.js";
import { drawItems, type Draw, type Item } from "../samples/made-up-items.js";
import { RowRuns, type RowRunner } from "./row-runs.js";

/** Raised whenever a model may be judged otherwise than before: verdicts are kept under it. */
export const RULES_VERSION = 1;

/** What is compared. */
export interface CheckSubject extends Compared {
  readonly provider: ExecutionProvider;
  /** Sizes to try for dynamic dimensions, in order. */
  readonly guesses: readonly number[];
}

/** What a check has shown, and how; `reason` is for people. */
export interface Finding {
  readonly outcome: "passed" | "failed" | "inconclusive";
  readonly reason: string;
}

/** Of a caller's items, so many are compared at the most. */
const MOST_ITEMS = 4;
const MADE_UP = "made-up items";
/** Draws that ran and told nothing: further ones are unlikely to tell more. */
const MOST_TELLING_NOTHING = 2;

/**
 * Compares batches of made-up items with each other and with the items alone. Items that the model does not run even alone prove
 * nothing, and others are tried: tables may be small, and shapes particular.
 *
 * @param count rows of the batches that are compared, from 2; lowered to what a batch may have
 * @throws what a run threw that ends the worker
 */
export async function checkGenerated(subject: CheckSubject, count: number): Promise<Finding> {
  if (subject.graph.mixing !== null) return mixingByGraph(subject.graph.mixing);
  let obstacle = "";
  const toldNothing: string[] = [];
  for (const draw of drawsFor(subject, count)) {
    const { found, text } = await compareDraw(subject, { ...draw, seed: 1 });
    if (found === "same") return passed(subject, MADE_UP);
    if (found === "mates") return mixing(MADE_UP, text);
    if (found === "batch") return confirmed(subject, MADE_UP, await compareDraw(subject, { ...draw, seed: 2 }), text);
    if (found === "nothing") toldNothing.push(text);
    else obstacle = text;
    if (toldNothing.length === MOST_TELLING_NOTHING) break;
  }
  const [reason] = toldNothing;
  return reason === undefined
    ? inconclusive(`made-up items do not run: ${obstacle}`)
    : inconclusive(`made-up items tell nothing: ${reason}`);
}

/**
 * The same with items that a caller gives. Of those that differ too much in size to share a batch, the first and its like are
 * compared. A difference between a batch and single items is confirmed by further items, so that it takes 4.
 * @throws `INVALID_INPUT` for an item that does not fit the model; what a run threw that ends the worker
 */
export async function checkItems(subject: CheckSubject, items: readonly Item[]): Promise<Finding> {
  if (subject.graph.mixing !== null) return mixingByGraph(subject.graph.mixing);
  const collator = new Collator(subject.signature, subject.padding);
  const rows = items.map((item) => collator.admit(item));
  const alike = rows.filter(({ shape }) => shape.group === rows[0]?.shape.group);
  if (alike.length < 2) return inconclusive("expected at least 2 items that may share a batch, got fewer");
  const runs = new RowRuns(subject, collator, alike);
  const lineup = lineUp(subject, alike);
  const { found, text } = await compareBatches(subject, runs, lineup);
  switch (found) {
    case "same":
      return passed(subject, "items");
    case "mates":
      return mixing("items", text);
    case "batch": {
      if (alike.length < 2 * lineup.rows.length) return once("items", text);
      const again = await compareBatches(subject, runs, { rows: lineup.mates, mates: lineup.rows });
      return confirmed(subject, "items", again, text);
    }
    case "nothing":
      return inconclusive(`items tell nothing: ${text}`);
    case "obstacle":
      return inconclusive(`items do not run: ${text}`);
  }
}

/** Half of the items are compared, and the others take their places; of three, one does so twice. */
function lineUp({ most }: RowRunner, all: readonly Row[]): Lineup {
  const count = Math.max(2, Math.min(most, all.length >> 1, MOST_ITEMS));
  const rows = all.slice(0, count);
  const others = all.length > count ? all.slice(count) : rows.toReversed();
  return { rows, mates: rows.flatMap((_, place) => others[place % others.length] ?? []) };
}

type Unseeded = Omit<Draw, "seed">;

/** Out-of-range ids are an error on WASM; WebGPU answers them with whatever lies there, which is no ground for a comparison. */
function drawsFor({ signature, guesses, provider, most }: CheckSubject, wanted: number): Unseeded[] {
  const count = Math.max(Math.min(wanted, most), 2);
  const ranges = traitsOf(provider).checksIndices ? [8, 2, 1] : [2, 1];
  const spreads = hasFloats(signature) ? (["signed", "unit"] as const) : (["signed"] as const);
  return guesses.flatMap((guess) =>
    ranges.flatMap((integersBelow) => spreads.map((spread) => ({ count, guess, integersBelow, spread }))),
  );
}

function hasFloats({ inputs }: ModelSignature): boolean {
  return inputs.some(({ type }) => type.startsWith("float"));
}

function compareDraw(subject: CheckSubject, draw: Draw): Promise<Comparison> {
  const { signature, padding } = subject;
  const collator = new Collator(signature, padding);
  const { compared, mates } = drawItems(signature, padding, draw);
  const lineup = {
    rows: compared.map((item) => collator.admit(item)),
    mates: mates.map((item) => collator.admit(item)),
  };
  return compareBatches(subject, new RowRuns(subject, collator, [...lineup.rows, ...lineup.mates]), lineup);
}

/** An answer that flips at a tie flips for one draw of items, and not for the next. */
function confirmed(subject: CheckSubject, items: string, { found, text }: Comparison, before: string): Finding {
  if (found === "same") return passed(subject, items);
  if (found === "mates") return mixing(items, text);
  if (found !== "batch") return once(items, before);
  return { outcome: "failed", reason: `${items} answer otherwise in a batch than alone: ${text}` };
}

function once(items: string, text: string): Finding {
  return inconclusive(`${items} answer otherwise in a batch than alone, and no others could confirm it: ${text}`);
}

function passed({ padding }: CheckSubject, items: string): Finding {
  const padded = padding.paddedCount > 0 ? ", padded and not" : "";
  return {
    outcome: "passed",
    reason: `${items} answer the same alone and in batches, whatever shares the batch${padded}`,
  };
}

function mixingByGraph(node: string): Finding {
  return { outcome: "failed", reason: `the model works across the batch: ${node}` };
}

function mixing(items: string, text: string): Finding {
  return { outcome: "failed", reason: `the answers of ${items} change with what else is in the batch: ${text}` };
}

function inconclusive(reason: string): Finding {
  return { outcome: "inconclusive", reason };
}
