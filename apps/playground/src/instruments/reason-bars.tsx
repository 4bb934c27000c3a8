import type { BatcherStats, ReleaseReason } from "framebatch";
import { formatNumber } from "../format.js";
import { ALL_REASONS, REASON_NAMES, REASONS } from "./describe-batch.js";

/** The number of batches by dispatch reason, as bars. Reasons with no batches are omitted. */
export function ReasonBars({ batches }: { batches: BatcherStats["batches"] }) {
  const rows = rowsOf(batches.byReason);
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <figure class="chart reasons">
      <figcaption>Why batches were dispatched</figcaption>
      <ul>
        {rows.map(({ reason, count }) => (
          <li key={reason} class="reason" title={`It was dispatched because ${REASONS[reason]}.`}>
            <span class="reason-name">{REASON_NAMES[reason]}</span>
            <span class="reason-track">
              <span class="reason-bar" style={`transform: scaleX(${count / most})`} />
            </span>
            <span class="reason-count">{formatNumber(count)}</span>
            <span class="reason-why">{REASONS[reason]}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** The most frequent first. */
function rowsOf(byReason: BatcherStats["batches"]["byReason"]): { reason: ReleaseReason; count: number }[] {
  return ALL_REASONS.map((reason) => ({ reason, count: byReason[reason] }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}
