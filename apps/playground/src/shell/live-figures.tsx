import { useComputed } from "@preact/signals";
import { formatMs, formatNumber } from "../format.js";
import type { Activity, Recent } from "../instruments/live-statistics.js";
import type { Playground } from "../playground.js";

const NOTHING = "–";

/** The current activity of the model in three figures. */
export function LiveFigures({ playground: { activity } }: { playground: Playground }) {
  const show = (value: (recent: Recent, activity: Activity) => string): string => {
    const now = activity.value;
    return now === null || now.recent === null ? NOTHING : value(now.recent, now);
  };
  const perSecond = useComputed(() => show((recent) => formatNumber(recent.perSecond)));
  const batchSize = useComputed(() => show((recent) => formatNumber(recent.meanBatchSize)));
  const wait = useComputed(() => show((_, { stats }) => formatMs(stats.totalMs.p50)));
  return (
    <dl class="figures" aria-label="Live figures">
      <div class="figure">
        <dt>Predictions per second</dt>
        <dd data-testid="live-throughput">{perSecond}</dd>
      </div>
      <div class="figure">
        <dt>Mean batch size</dt>
        <dd data-testid="live-batch-size">{batchSize}</dd>
      </div>
      <div class="figure">
        <dt>Median latency</dt>
        <dd data-testid="live-p50">{wait}</dd>
      </div>
    </dl>
  );
}
