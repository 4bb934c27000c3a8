import { type AnsweredRows, entriesOf, type RowTensors, sizesOfRows } from "@framebatch/rows/collate/sent-rows.js";
import type { InputPlan } from "@framebatch/rows/collate/input-plan.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import type { RowsRequest } from "../../transport/protocol.js";

/** Returns one run with the rows of several, which have equal extents. Shares their memory. */
export function joined(plans: readonly InputPlan[], requests: readonly RowsRequest[]): RowsRequest {
  const columns = plans.map((plan, input) =>
    requests.flatMap(({ rows }) => entriesOf(plan, rows.columns[input] ?? [], sizesOfRows(rows))),
  );
  const sizes = requests.flatMap(({ rows }) => rows.sizes);
  const count = requests.reduce((sum, { rows }) => sum + rows.count, 0);
  return { rows: { count, sizes, columns }, paddedSize: count, extents: requests[0]?.extents ?? [] };
}

/** Returns the outputs of each run, in memory of their own. @param counts the number of rows of each run */
export function parted(outputs: AnsweredRows, counts: readonly number[]): AnsweredRows[] {
  let end = 0;
  return counts.map((count) => {
    const start = end;
    end += count;
    const part: Record<string, RowTensors> = {};
    for (const [name, rows] of Object.entries(outputs)) setOwn(part, name, cut(rows, start, end));
    return part;
  });
}

function cut(rows: RowTensors, start: number, end: number): RowTensors {
  if (!("data" in rows)) return rows.slice(start, end);
  const length = volumeOf(rows.dims.slice(1));
  return { ...rows, dims: rows.dims.with(0, end - start), data: rows.data.slice(start * length, end * length) };
}
