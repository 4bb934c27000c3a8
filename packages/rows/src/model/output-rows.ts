import type { TensorInfo } from "../tensor/tensor.js";

/** The dims of an output in a run. */
export interface SeenDims {
  /** Number of rows of the run. */
  readonly rows: number;
  readonly dims: readonly number[];
}

/**
 * What the graph of a model shows of an output:
 *
 * - `rows`: the axis has the items of the batch in order, as many entries for each; one, unless it may be folded.
 * - `sized`: what the items hold decides the size of the axis, or of an unknown one if it is `null`.
 * - `free`: the output depends on nothing that an item holds, and on no number of items.
 * - `unknown`: nothing.
 */
export type OutputFlow =
  | { readonly kind: "rows"; readonly axis: number; readonly mayBeFolded: boolean }
  | { readonly kind: "sized"; readonly axis: number | null }
  | { readonly kind: "free" }
  | { readonly kind: "unknown" };

export type AxisOrigin = "told" | "named" | "guessed";

/** What is known of an output besides its declaration. */
export interface OutputEvidence {
  /** Where its batch axis comes from: the user, the name of the batch, or a guess. */
  readonly origin: AxisOrigin;
  /** Its dims in runs of one row, and of two, as far as there were any. */
  readonly runs: readonly SeenDims[];
  /** Returns what the graph shows. Called only if the declaration and the runs do not decide. */
  readonly flow: () => OutputFlow;
}

export interface JudgedOutput {
  /** `null` if nothing tells which axis counts the rows. */
  readonly info: TensorInfo | null;
  /** Whether no further run can change this. */
  readonly isSure: boolean;
}

/**
 * Decides how an output is divided among the items of a batch: by its declaration if runs confirm it, else by the
 * graph, else by runs. An output of which the items together decide the size belongs to all of them, and so has no
 * batch axis.
 */
export function judgeOutput(info: TensorInfo, evidence: OutputEvidence): JudgedOutput {
  const { origin, runs } = evidence;
  const isConfirmed = runs.every((run) => perRow(info, run) !== null);
  if (origin !== "guessed" && (isConfirmed || info.batchAxis === null)) return sureOutput(info);
  const flow = evidence.flow();
  if (origin === "told") return sureOutput(flow.kind === "rows" ? (foldedLike(info, flow.axis, runs) ?? info) : info);
  const isDecided = flow.kind === "sized" && (flow.axis === null || flow.axis === info.batchAxis);
  if (flow.kind === "free" || isDecided) return sureOutput(withoutBatchAxis(info));
  const byGraph = flow.kind === "rows" ? withRows(info, flow.axis, runs) : null;
  if (byGraph !== null)
    return { info: byGraph, isSure: runs.length > 0 || (flow.kind === "rows" && !flow.mayBeFolded) };
  return judgeByRuns(info, evidence, isConfirmed);
}

/** Decides by how the dims of one row and of two differ. */
function judgeByRuns(info: TensorInfo, { origin, runs }: OutputEvidence, isConfirmed: boolean): JudgedOutput {
  const [one, two] = runs;
  if (one === undefined || two === undefined) return { info: ifBatched(info), isSure: false };
  if (info.batchAxis !== null && isConfirmed) return sureOutput(info);
  const [grown = -1, ...more] = grownAxes(one, two);
  if (more.length > 0) return sureOutput(ifBatched(info));
  const split = withRows(info, grown, runs);
  // Without the name of the batch, several entries for each row may be those that the items happened to have.
  const isSplit = split !== null && (split.isFolded === undefined || origin === "named");
  return sureOutput(isSplit ? split : withoutBatchAxis(info));
}

/** Returns an output with several entries for each row on the axis that the user has set. */
function foldedLike(info: TensorInfo, axis: number, runs: readonly SeenDims[]): TensorInfo | null {
  return axis === info.batchAxis ? withRows(info, axis, runs) : null;
}

function sureOutput(info: TensorInfo | null): JudgedOutput {
  return { info, isSure: true };
}

/** Returns the output; `null` if it has no batch axis, so that nothing is known of how it is divided. */
function ifBatched(info: TensorInfo): TensorInfo | null {
  return info.batchAxis === null ? null : info;
}

function withoutBatchAxis({ name, type, dims, symbols }: TensorInfo): TensorInfo {
  return { name, type, dims, symbols, batchAxis: null };
}

/** Returns how many entries of the batch axis each row has; `null` if that axis does not fit. */
function perRow({ batchAxis, isFolded }: TensorInfo, { rows, dims }: SeenDims): number | null {
  const each = batchAxis === null ? NaN : (dims[batchAxis] ?? NaN) / rows;
  return each === 1 || (isFolded === true && each > 0 && Number.isInteger(each)) ? each : null;
}

/** Returns an output with this batch axis; `null` if runs had another number of rows there. */
function withRows(info: TensorInfo, axis: number, runs: readonly SeenDims[]): TensorInfo | null {
  const [first] = runs;
  if (first === undefined) return axis < info.dims.length ? { ...info, batchAxis: axis } : null;
  const each = new Set(runs.map(({ rows, dims }) => (dims[axis] ?? NaN) / rows));
  const [count = NaN] = each;
  if (each.size !== 1 || !Number.isInteger(count) || count === 0) return null;
  const { dims, symbols } = ofRank(info, first.dims.length);
  const split = { ...withoutBatchAxis(info), dims: dims.with(axis, null), symbols, batchAxis: axis };
  return count === 1 ? split : { ...split, isFolded: true };
}

/** Some exporters declare another number of dimensions than a run returns. */
function ofRank({ dims, symbols }: TensorInfo, rank: number): Pick<TensorInfo, "dims" | "symbols"> {
  const unknown = Array.from({ length: rank }, () => null);
  return dims.length === rank ? { dims, symbols } : { dims: unknown, symbols: unknown };
}

function grownAxes(one: SeenDims, two: SeenDims): number[] {
  if (one.dims.length !== two.dims.length) return [];
  return one.dims.flatMap((size, axis) => (size === two.dims[axis] ? [] : [axis]));
}
