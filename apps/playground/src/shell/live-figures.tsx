import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatMs, formatNumber } from "../format.js";
import { LiveStatistics, type Activity } from "../measure/live-statistics.js";
import type { Playground } from "../playground.js";

const NOTHING = "–";

/** What the model is doing right now. */
export function LiveFigures({ playground }: { playground: Playground }) {
  const activity = useActivity(playground);
  const show = (value: (activity: Activity) => string): string =>
    activity.value === null ? NOTHING : value(activity.value);
  const perSecond = useComputed(() => show((now) => formatNumber(now.perSecond)));
  const batchSize = useComputed(() => show((now) => formatNumber(now.meanBatchSize)));
  const wait = useComputed(() => show((now) => formatMs(now.p50Ms)));
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
        <dt>Median wait</dt>
        <dd data-testid="live-p50">{wait}</dd>
      </div>
    </dl>
  );
}

/** Watches the model in use, afresh for each model and number of tiles. */
function useActivity(playground: Playground) {
  const activity = useSignal<Activity | null>(null);
  const model = playground.model.value;
  const tiles = playground.settings.tiles.value;
  const isComparing = playground.comparing.value;
  useEffect(() => {
    activity.value = null;
    if (model === null || isComparing) return undefined;
    const statistics = new LiveStatistics(model);
    const unsubscribe = statistics.activity.subscribe((now) => (activity.value = now));
    return () => {
      unsubscribe();
      statistics.stop();
    };
  }, [model, tiles, isComparing]);
  return activity;
}
