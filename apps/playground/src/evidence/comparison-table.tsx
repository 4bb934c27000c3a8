import { formatNumber, formatShare } from "../format.js";
import type { Comparison } from "../measure/compare.js";
import { MEASURES, type LaneName } from "../measure/gain.js";
import type { LaneSummary } from "../measure/lane-summary.js";
import type { Verdict } from "../measure/outcome.js";
import { formatFigure } from "../measure/verdict.js";
import { FACT_NAMES } from "../verdict/verdict-facts.js";
import { LANE_LABELS } from "./lane-labels.js";

interface TableProps {
  readonly comparison: Comparison;
  readonly effects: Verdict["effects"];
}

/** Figures without an interval. */
const OTHER_ROWS: readonly (readonly [name: string, show: (lane: LaneSummary) => string])[] = [
  [
    "Frames until an answer is painted",
    (lane) => `${lane.cutOffShare > 0 ? "≥ " : ""}${formatNumber(lane.meanFramesToPaint)}`,
  ],
  ["Dropped frames", (lane) => formatShare(lane.droppedFrames)],
  ["Mean batch size", (lane) => formatNumber(lane.meanBatchSize)],
];

/** Both lanes side by side. */
export function ComparisonTable({ comparison, effects }: TableProps) {
  const { gains, batched, single } = comparison;
  return (
    <table class="comparison-table">
      <caption>Bold figures are better by more than chance</caption>
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
        {MEASURES.map((measure) => (
          <Row
            key={measure}
            name={FACT_NAMES[measure]}
            batched={formatFigure(measure, gains[measure].batched)}
            single={formatFigure(measure, gains[measure].single)}
            better={BETTER[effects[measure]] ?? null}
          />
        ))}
        {OTHER_ROWS.map(([name, show]) => (
          <Row key={name} name={name} batched={show(batched)} single={show(single)} better={null} />
        ))}
      </tbody>
    </table>
  );
}

const BETTER: Readonly<Record<string, LaneName>> = { better: "batched", worse: "single" };

interface RowProps {
  readonly name: string;
  readonly batched: string;
  readonly single: string;
  readonly better: LaneName | null;
}

function Row({ name, batched, single, better }: RowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class={better === "batched" ? "better" : ""}>{batched}</td>
      <td class={better === "single" ? "better" : ""}>{single}</td>
    </tr>
  );
}
