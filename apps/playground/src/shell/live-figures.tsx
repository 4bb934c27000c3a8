import { useComputed } from "@preact/signals";
import { formatMs, formatNumber } from "../format.js";
import type { Recent } from "../instruments/live-statistics.js";
import type { Playground } from "../playground.js";

const NOTHING = "–";

/** The current activity of the model in three figures of the same interval. The last ones stay while it is idle. */
export function LiveFigures({ playground: { activity } }: { playground: Playground }) {
  const show = (value: (recent: Recent) => string): string => {
    const recent = activity.value?.recent ?? null;
    return recent === null ? NOTHING : value(recent);
  };
  const perSecond = useComputed(() => show((recent) => formatNumber(recent.perSecond)));
  const batchSize = useComputed(() => show((recent) => formatNumber(recent.meanBatchSize)));
  const wait = useComputed(() => show((recent) => formatMs(recent.p50Ms)));
  return (
    <section class="live" aria-labelledby="live-heading">
      <h2 id="live-heading">Now, over half a second</h2>
      <dl class="figures">
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
    </section>
  );
}
