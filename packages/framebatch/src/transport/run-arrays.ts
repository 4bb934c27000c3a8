import type { TypedData } from "@framebatch/rows/collate/sent-rows.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import type { Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
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
  const arrays: TypedData[] = [Float64Array.of(run, rows.count, paddedSize, extents.length, ...extents, ...rows.sizes)];
  for (const column of rows.columns) {
    if (!("buffer" in column)) return null;
    arrays.push(column);
  }
  return arrays;
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
  for (const name of Object.keys(reply.outputs)) {
    const rows = reply.outputs[name]!;
    if (!("data" in rows) || !("buffer" in rows.data)) return null;
    numbers.push(rows.dims.length, ...rows.dims);
    arrays.push(rows.data);
  }
  return [Float64Array.from(numbers), ...arrays];
}

export function answerOfArrays(types: OutputTypes, [numbers, ...arrays]: readonly TypedData[]): RunAnswer {
  const all = numbersIn(numbers);
  const [ran = 0, inferenceMs = 0] = all;
  const outputs: Record<string, Tensor> = {};
  let [place, index] = [2, 0];
  for (const name of Object.keys(types)) {
    const start = place + 1;
    place = start + all[place]!;
    setOwn(outputs, name, { type: types[name]!, dims: all.slice(start, place), data: arrays[index]! });
    index += 1;
  }
  return { ran, reply: { ok: true, outputs, inferenceMs } };
}

function numbersIn(array: TypedData | undefined): number[] {
  return array instanceof Float64Array ? [...array] : [];
}
