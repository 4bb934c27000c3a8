import type { Row } from "../../core/collate/prepared-item.js";
import { difference, type Answer } from "./answers.js";
import { forOtherSize, forSamePlace, isNoNumber, tellsNothing } from "./check-tolerance.js";
import type { GraphReading } from "../graph/graph-reading.js";
import { hasLastBits, moveLastBits } from "./last-bits.js";
import type { RowRunner, RowRuns } from "./row-runs.js";

/** What is compared, and what is known of its graph. */
export interface Compared extends RowRunner {
  /** Of the model that `runBatch` runs. */
  readonly graph: GraphReading;
}

/** What comparing rows has shown. */
export interface Comparison {
  /**
   * `mates`: an answer changes with what its batch-mates hold. `batch`: an answer in a batch differs from the answer alone, or a
   * batch does not run; that may be a tie. `nothing`: the rows could not have shown a difference. `obstacle`: not all rows run alone.
   */
  readonly found: "same" | "mates" | "batch" | "nothing" | "obstacle";
  /** For people; empty for `same`. */
  readonly text: string;
}

/** Rows, each with one that takes its place as a batch-mate. */
export interface Lineup {
  readonly rows: readonly Row[];
  readonly mates: readonly Row[];
}

const SAME: Comparison = { found: "same", text: "" };

/** Each moves the last bits in another way: where one way happens to leave an element alone, the next does not. */
const MOVES = [1, 2] as const;

/**
 * Compares each row's answer in a batch with its answers at the same place among entirely other mates, and alone. The first two
 * are the same computation, so that they differ in nothing where rows do not mix; the third is summed in another order.
 *
 * It takes n single rows and n + 1 batches of n rows; 2 more batches where an answer alone differs by more than little, and 2 where
 * the mates seem to matter.
 * @throws what ends the worker
 */
export async function compareBatches(runner: Compared, runs: RowRuns, lineup: Lineup): Promise<Comparison> {
  if (runner.most === 1 && runner.padding.paddedCount === 0)
    return { found: "nothing", text: "batches are of one item" };
  const alone = await runs.alone(lineup.rows);
  if ("failure" in alone) return { found: "obstacle", text: alone.failure.message };
  const together = await runs.together(lineup.rows);
  if ("failure" in together) return failed(together.failure);
  const exchanged = runner.most === 1 ? { answers: [], ...SAME } : await exchangeMates(runs, lineup, together.answers);
  if (exchanged.found !== "same") return exchanged;
  const answers = {
    alone: alone.answers,
    together: together.answers,
    all: [...together.answers, ...exchanged.answers],
  };
  const sized = await compareAlone(runner, runs, lineup.rows, answers);
  return sized.found === "same" ? judgeOutputs(runner, answers) : sized;
}

/** That there is no memory for a batch says nothing of what it would answer. */
function failed({ code, message }: { readonly code: string; readonly message: string }): Comparison {
  return { found: code === "OUT_OF_MEMORY" ? "obstacle" : "batch", text: message };
}

async function exchangeMates(
  runs: RowRuns,
  { rows, mates }: Lineup,
  together: readonly Answer[],
): Promise<Comparison & { readonly answers: readonly Answer[] }> {
  const answers: Answer[] = [];
  for (const [place, row] of rows.entries()) {
    const members = mates.with(place, row);
    const exchanged = await runs.together(members);
    if ("failure" in exchanged) return { ...(await failedMates(runs, mates, exchanged.failure)), answers };
    const before = { members: rows, answer: together[place] ?? {} };
    const after = { members, answer: exchanged.answers[place] ?? {} };
    const text = difference(before.answer, after.answer, forSamePlace(before.answer));
    if (text !== null) return { ...(await repeat(runs, place, [before, after], text)), answers };
    answers.push(...exchanged.answers);
  }
  return { ...SAME, answers };
}

/** Of a model that answers the same batch otherwise each time, nothing can be told from the mates. */
async function repeat(
  runs: RowRuns,
  place: number,
  batches: readonly { readonly members: readonly Row[]; readonly answer: Answer }[],
  text: string,
): Promise<Comparison> {
  for (const { members, answer } of batches) {
    const again = await runs.together(members);
    const isSame = "answers" in again && difference(answer, again.answers[place] ?? {}, forSamePlace(answer)) === null;
    if (!isSame) return { found: "nothing", text: `the same batch is answered otherwise each time: ${text}` };
  }
  return { found: "mates", text };
}

/** A batch that fails proves something only where each of its rows runs alone. */
async function failedMates(
  runs: RowRuns,
  mates: readonly Row[],
  failure: Parameters<typeof failed>[0],
): Promise<Comparison> {
  const alone = await runs.alone(mates);
  return "failure" in alone ? { found: "obstacle", text: alone.failure.message } : failed(failure);
}

interface Answers {
  readonly alone: readonly Answer[];
  readonly together: readonly Answer[];
  /** With those of the exchanged mates. */
  readonly all: readonly Answer[];
}

async function compareAlone(
  { signature }: RowRunner,
  runs: RowRuns,
  rows: readonly Row[],
  answers: Answers,
): Promise<Comparison> {
  const isMovable = signature.inputs.some(hasLastBits);
  const others = isMovable ? [] : answers.all;
  const text = differenceAlone(answers, [], others);
  if (text === null) return SAME;
  if (!isMovable) return { found: "batch", text };
  const moved: (readonly Answer[])[] = [];
  for (const seed of MOVES) {
    const batch = await runs.together(rows.map((row) => moveLastBits(row, signature, seed)));
    if ("answers" in batch) moved.push(batch.answers);
  }
  const beyond = differenceAlone(answers, moved, others);
  return beyond === null ? SAME : { found: "batch", text: beyond };
}

function differenceAlone(
  answers: Answers,
  movedBatches: readonly (readonly Answer[])[],
  others: readonly Answer[],
): string | null {
  for (const [place, alone] of answers.alone.entries()) {
    const together = answers.together[place] ?? {};
    const moved = movedBatches.map((batch) => batch[place] ?? {});
    const text = difference(alone, together, forOtherSize({ alone, together, moved, others }));
    if (text !== null) return text;
  }
  return null;
}

/** Outputs without rows belong to all, so that it proves nothing against them that they are alike. */
function judgeOutputs({ signature, graph }: Compared, { together, all }: Answers): Comparison {
  for (const { name, batchAxis } of signature.outputs) {
    if (batchAxis === null || graph.constant.has(name)) continue;
    if (together.every((answer) => isNoNumber(answer[name]))) {
      return { found: "nothing", text: `output "${name}" holds no number` };
    }
    if (tellsNothing(name, all)) return { found: "nothing", text: `output "${name}" is alike for all of them` };
  }
  return SAME;
}
