import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { difference, type Answer, forOtherSize, forSamePlace, isNoNumber, tellsNothing } from "./check-tolerance.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { GraphReading } from "../../worker/graph/graph-reading.js";
import { hasLastBits, moveLastBits } from "./items.js";
import type { RowRunner, CheckRuns } from "./check-runs.js";

/** The model under comparison, with the reading of its graph. */
export interface Compared extends RowRunner {
  /** Reading of the model that `runBatch` runs. */
  readonly graph: GraphReading;
}

/** The result of comparing rows. */
export interface Comparison {
  /**
   * - `same`: no output differs.
   * - `mates`: the output of an item changes with the contents of its batch-mates.
   * - `batch`: an output in a batch differs from the output alone, or a batch does not run. A tie can cause this.
   * - `nothing`: the rows cannot show a difference.
   * - `obstacle`: not all rows run alone, or there is no memory for a batch.
   */
  readonly found: "same" | "mates" | "batch" | "nothing" | "obstacle";
  /** Human-readable explanation; empty for `same`. */
  readonly text: string;
  /** Outputs by which the rows of a comparison that found `nothing` differed, and so none that mixes. */
  readonly told?: ReadonlySet<string>;
}

/** Rows to compare and, for each, a row that takes its place as a batch-mate of the others. */
export interface ComparedRows {
  readonly rows: readonly PreparedItem[];
  readonly mates: readonly PreparedItem[];
}

const SAME: Comparison = { found: "same", text: "" };
const NONE: ReadonlySet<string> = new Set();

/** Seeds for moving the last bits: where one seed leaves an element unchanged by chance, the next does not. */
const MOVES = [1, 2] as const;

/**
 * Compares each row's output in a batch with its output at the same place among entirely different batch-mates, and
 * with its output alone. The first two are the same computation, so they are equal if rows do not mix. The third is
 * summed in another order.
 *
 * Runs n single rows, n + 1 batches of n rows and 2 large batches; 2 more batches if an output alone differs by more
 * than the tolerance, and 2 more if the batch-mates seem to matter.
 *
 * @param told outputs by which the rows of other comparisons have differed
 * @throws an error that ends the worker
 */
export async function compareBatches(
  runner: Compared,
  runs: CheckRuns,
  lineup: ComparedRows,
  told: ReadonlySet<string> = NONE,
): Promise<Comparison> {
  if (runner.most === 1 && runner.padding.paddedCount === 0)
    return { found: "nothing", text: "batches are of one item" };
  const alone = await runs.alone(lineup.rows);
  if ("failure" in alone) return { found: "obstacle", text: whatFailed(alone.failure) };
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
  if (sized.found !== "same") return sized;
  const judged = judgeOutputs(runner, answers, told);
  if (judged.told.size === told.size && judged.found !== "same") return judged;
  const large = await compareLarge(runner, runs, lineup, answers.alone);
  return large.found === "same" ? judged : large;
}

/**
 * Compares a large batch, in which the rows recur, with the rows alone, and its first rows with the same ones in a
 * batch whose other rows are all exchanged. A lack of memory for it says nothing about smaller batches.
 */
async function compareLarge(
  runner: Compared,
  runs: CheckRuns,
  { rows, mates }: ComparedRows,
  alone: readonly Answer[],
): Promise<Comparison> {
  if (runner.wide <= rows.length) return SAME;
  const places = Array.from({ length: runner.wide }, (_, place) => place);
  const members = places.flatMap((place) => rows[place % rows.length] ?? []);
  const others = places.flatMap((place) => (place < rows.length ? rows : mates)[place % rows.length] ?? []);
  const together = await runs.together(members);
  if ("failure" in together) return failedLarge(together.failure);
  const exchanged = await runs.together(others);
  if ("failure" in exchanged) return failedLarge(exchanged.failure);
  for (const place of rows.keys()) {
    const before = { members, answer: together.answers[place] ?? {} };
    const after = { members: others, answer: exchanged.answers[place] ?? {} };
    const text = difference(before.answer, after.answer, forSamePlace(before.answer));
    if (text !== null) return repeat(runs, place, [before, after], text);
  }
  const recurring = places.map((place) => alone[place % rows.length] ?? {});
  return compareAlone(runner, runs, members, { alone: recurring, together: together.answers, all: together.answers });
}

function failedLarge(failure: FramebatchError): Comparison {
  const comparison = failed(failure);
  return comparison.found === "obstacle" ? SAME : comparison;
}

/** Converts a failed batch. A lack of memory says nothing about the outputs of the batch. */
function failed(failure: FramebatchError): Comparison {
  return { found: failure.code === "OUT_OF_MEMORY" ? "obstacle" : "batch", text: whatFailed(failure) };
}

/** Returns the message without the fix, if it is one for requests: no option makes a batch of this model run. */
function whatFailed({ message, details }: FramebatchError): string {
  return details?.["output"] === undefined ? message : message.slice(0, message.lastIndexOf("; "));
}

async function exchangeMates(
  runs: CheckRuns,
  { rows, mates }: ComparedRows,
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

/**
 * Repeats batches that differ. If a model returns other outputs for the same batch each time, the mates prove nothing.
 */
async function repeat(
  runs: CheckRuns,
  place: number,
  batches: readonly { readonly members: readonly PreparedItem[]; readonly answer: Answer }[],
  text: string,
): Promise<Comparison> {
  for (const { members, answer } of batches) {
    const again = await runs.together(members);
    const isSame = "answers" in again && difference(answer, again.answers[place] ?? {}, forSamePlace(answer)) === null;
    if (!isSame) return { found: "nothing", text: `the same batch is answered otherwise each time: ${text}` };
  }
  return { found: "mates", text };
}

/** Converts a failed batch of mates. The failure proves something only if each of its rows runs alone. */
async function failedMates(
  runs: CheckRuns,
  mates: readonly PreparedItem[],
  failure: FramebatchError,
): Promise<Comparison> {
  const alone = await runs.alone(mates);
  return "failure" in alone ? { found: "obstacle", text: whatFailed(alone.failure) } : failed(failure);
}

interface Answers {
  readonly alone: readonly Answer[];
  readonly together: readonly Answer[];
  /** `together`, and the outputs of the batches with exchanged mates. */
  readonly all: readonly Answer[];
}

async function compareAlone(
  { signature }: RowRunner,
  runs: CheckRuns,
  rows: readonly PreparedItem[],
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

/**
 * Checks that every output has shown that it can tell items apart, here or before. One whose rows the graph shows to be
 * computed each from its item need not, if another has. Of an output that items share, it must not be empty.
 */
function judgeOutputs(
  { signature, graph }: Compared,
  { together, all }: Answers,
  before: ReadonlySet<string>,
): Comparison & Required<Pick<Comparison, "told">> {
  const silent = signature.outputs.flatMap((output) => {
    const { name } = output;
    const why = graph.constant.has(name) || before.has(name) ? null : silenceOf(output, together, all);
    return why === null ? [] : [{ name, text: `output "${name}" ${why}` }];
  });
  const judged = signature.outputs.map(({ name }) => name).filter((name) => !graph.constant.has(name));
  const told = new Set([...before, ...judged.filter((name) => silent.every((output) => output.name !== name))]);
  const untold = told.size > 0 ? silent.filter(({ name }) => !graph.byRow.has(name)) : silent;
  const [first] = untold;
  return first === undefined ? { ...SAME, told } : { found: "nothing", text: first.text, told };
}

/**
 * Returns why an output shows nothing; `null` if it shows a difference, or, if items share it, that it is not empty.
 */
function silenceOf({ name, batchAxis }: TensorInfo, together: readonly Answer[], all: readonly Answer[]) {
  if (batchAxis === null) {
    const isEmpty = together.every((answer) => (answer[name]?.data.length ?? 0) === 0);
    return isEmpty ? "is empty for all of them" : null;
  }
  if (together.every((answer) => isNoNumber(answer[name]))) return "holds no number";
  return tellsNothing(name, all) ? "is alike for all of them" : null;
}
