import { formatMs, formatNumber, formatShare } from "../format.js";
import type { Comparison, LaneSummary } from "../measure/compare.js";
import type { Quantile } from "../measure/latency-statistics.js";
import { describeLoad } from "../measure/verdict.js";
import { LANE_LABELS } from "./lane-labels.js";

/** Relative difference up to which two figures count as equal and neither is highlighted. */
const EQUAL_WITHIN = 0.05;

interface Row {
  readonly name: string;
  readonly value: (lane: LaneSummary) => number;
  readonly show: (lane: LaneSummary) => string;
  /** Which value is better; `null` if neither is. */
  readonly better: "higher" | "lower" | null;
}

const ROWS: readonly Row[] = [
  {
    name: "Predictions per second",
    value: (lane) => lane.perSecond,
    show: (lane) => formatNumber(lane.perSecond),
    better: "higher",
  },
  quantileRow("Latency, p50", (lane) => lane.waits.p50),
  quantileRow("Latency, p95", (lane) => lane.waits.p95),
  quantileRow("Latency, p99", (lane) => lane.waits.p99),
  {
    name: "Frames to paint, mean",
    value: (lane) => lane.meanFramesToPaint,
    show: (lane) => `${lane.cutOffShare > 0 ? "≥ " : ""}${formatNumber(lane.meanFramesToPaint)}`,
    better: "lower",
  },
  {
    name: "Dropped frames",
    value: (lane) => lane.droppedFrames,
    show: (lane) => formatShare(lane.droppedFrames),
    better: "lower",
  },
  {
    name: "Mean batch size",
    value: (lane) => lane.meanBatchSize,
    show: (lane) => formatNumber(lane.meanBatchSize),
    better: null,
  },
];

/** Both lanes side by side. The better figure of each row is highlighted. */
export function ComparisonTable({ comparison }: { comparison: Comparison }) {
  return (
    <table class="comparison-table">
      <caption>Load: {describeLoad(comparison)}</caption>
      <thead>
        <tr>
          <td />
          <th scope="col" class="lane-batched">
            {LANE_LABELS.batched}
          </th>
          <th scope="col" class="lane-single">
            {LANE_LABELS.single}
          </th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map((row) => (
          <TableRow key={row.name} row={row} comparison={comparison} />
        ))}
      </tbody>
    </table>
  );
}

function TableRow({ row, comparison: { batched, single } }: { row: Row; comparison: Comparison }) {
  return (
    <tr>
      <th scope="row">{row.name}</th>
      <td class={isBetter(row, batched, single) ? "better" : ""}>{row.show(batched)}</td>
      <td class={isBetter(row, single, batched) ? "better" : ""}>{row.show(single)}</td>
    </tr>
  );
}

function isBetter(row: Row, lane: LaneSummary, other: LaneSummary): boolean {
  const [mine, theirs] = [row.value(lane), row.value(other)];
  if (row.better === null || Math.abs(mine - theirs) <= EQUAL_WITHIN * Math.max(mine, theirs)) return false;
  return row.better === "higher" ? mine > theirs : mine < theirs;
}

function quantileRow(name: string, quantile: (lane: LaneSummary) => Quantile): Row {
  return {
    name,
    value: (lane) => quantile(lane).ms,
    show: (lane) => `${quantile(lane).isAtLeast ? "≥ " : ""}${formatMs(quantile(lane).ms)}`,
    better: "lower",
  };
}
