import type { Playground } from "../playground.js";
import { CostChart } from "./cost-chart.js";
import { FigureGrid } from "./figure-grid.js";
import { ReasonBars } from "./reason-bars.js";
import { SizeChart } from "./size-chart.js";
import { Timeline } from "./timeline.js";

/** Shows `stats()` of the current model and the page's own log. */
export function Instruments({ playground }: { playground: Playground }) {
  const activity = playground.activity.value;
  const stats = activity?.stats ?? null;
  const colours = playground.theme.css.value;
  return (
    <section class="card instruments" aria-labelledby="instruments-heading">
      <h2 id="instruments-heading">Model activity</h2>
      <FigureGrid activity={activity} />
      <Timeline playground={playground} />
      {stats === null ? (
        <p class="instruments-empty">The charts appear after the first batch.</p>
      ) : (
        <div class="instrument-charts">
          <SizeChart sizes={stats.batchSize} colours={colours} />
          <ReasonBars batches={stats.batches} />
          <CostChart cost={stats.cost} colours={colours} />
        </div>
      )}
      <details class="raw">
        <summary>
          Raw <code>model.stats()</code> for the figures above
        </summary>
        <pre tabIndex={0} aria-label="model.stats()" data-testid="raw-stats">
          {stats === null ? "null" : JSON.stringify(stats, null, 2)}
        </pre>
      </details>
    </section>
  );
}
