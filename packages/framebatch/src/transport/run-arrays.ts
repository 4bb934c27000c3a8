import type { TypedData } from "@framebatch/rows/collate/sent-rows.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { RunAnswer, RunMessage } from "./protocol.js";

/**
 * The outputs of the model. A record, as the outputs of an answer are: JavaScript puts names such as "12" before others, and
 * in both alike.
 */
export type OutputTypes = Readonly<Record<string, TensorInfo["type"]>>;

/**
 * Returns a run as arrays: its numbers, then the columns. Returns `null` if it has no rows, a column is not packed, or a
 * row is a step.
 */
export function arraysOfRun({ run, request }: RunMessage): TypedData[] | null {
  if (!("rows" in request) || request.steps !== undefined) return null;
  const { rows, paddedSize, extents } = request;
  const columns = rows.columns.filter((column) => "buffer" in column);
  if (columns.length < rows.columns.length) return null;
  return [Float64Array.of(run, rows.count, paddedSize, extents.length, ...extents, ...rows.sizes), ...columns];
}

export function runOfArrays([numbers, ...columns]: readonly TypedData[]): RunMessage {
  const [run = 0, count = 0, paddedSize = 0, width = 0, ...sizes] = numbersIn(numbers);
  const extents = sizes.splice(0, width);
  return { run, request: { rows: { count, sizes, columns }, paddedSize, extents } };
}

/** Returns an answer as arrays: its numbers, then the outputs. Returns `null` for an error, and unless each output is one tensor of numbers. */
export function arraysOfAnswer({ ran, reply }: RunAnswer): TypedData[] | null {
  if (!reply.ok || !("outputs" in reply)) return null;
  const numbers = [ran, reply.inferenceMs];
  const arrays: TypedData[] = [];
  for (const rows of Object.values(reply.outputs)) {
    if (!("data" in rows) || !("buffer" in rows.data)) return null;
    numbers.push(rows.dims.length, ...rows.dims);
    arrays.push(rows.data);
  }
  return [Float64Array.from(numbers), ...arrays];
}

export function answerOfArrays(types: OutputTypes, [numbers, ...arrays]: readonly TypedData[]): RunAnswer {
  const [ran = 0, inferenceMs = 0, ...rest] = numbersIn(numbers);
  const answered = Object.entries(types).map(([name, type], index) => {
    const [rank = 0] = rest.splice(0, 1);
    return [name, { type, dims: rest.splice(0, rank), data: arrays[index]! }] as const;
  });
  return { ran, reply: { ok: true, outputs: Object.fromEntries(answered), inferenceMs } };
}

function numbersIn(array: TypedData | undefined): number[] {
  return array instanceof Float64Array ? [...array] : [];
}
