import type { ThemeChoice } from "../theme.js";
import { measuredIn, slicesOf, slicesProgress, type ComparisonRun } from "../comparison/comparison-run.js";
import { ComparisonTable } from "./comparison-table.js";
import { LaneView } from "./lane-view.js";
import { LatencyChart } from "./latency-chart.js";
import type { Measured } from "../comparison/measured.js";
import { SliceStrip } from "./slice-strip.js";

/** How the verdict came about: the answers of both lanes, all figures, and the slices. */
export function Evidence({ run }: { run: ComparisonRun }) {
  const state = run.state.value;
  const progress = slicesProgress(state);
  const measured = measuredIn(state);
  return (
    <section
      id="evidence"
      class="card evidence"
      aria-labelledby="evidence-heading"
      data-outdated={run.isOutdated.value}
      tabIndex={-1}
    >
      <h2 id="evidence-heading">Both ways in detail</h2>
      <p class="evidence-note">Each tile is a caller and shows its latest answer, while both ways run in turn.</p>
      <Lanes run={run} />
      {progress === null ? null : <SliceStrip slices={progress.soFar} next={progress.next} total={progress.total} />}
      {measured === null ? null : <Details measured={measured} theme={run.playground.theme} />}
    </section>
  );
}

function Details({ measured, theme }: { measured: Measured; theme: ThemeChoice }) {
  const { comparison } = measured;
  return (
    <div class="comparison" data-testid="comparison">
      <div class="comparison-figures">
        <ComparisonTable comparison={comparison} effects={measured.verdict.effects} />
        <LatencyChart comparison={comparison} theme={theme} />
      </div>
      <SliceStrip slices={comparison.slices} next={null} total={comparison.slices.length} />
    </div>
  );
}

/** Both walls. They are rendered from the start, so that the layout does not shift when they fill. */
function Lanes({ run }: { run: ComparisonRun }) {
  const { playground } = run;
  const state = run.state.value;
  const running = slicesProgress(state)?.next;
  return (
    <div class="lanes">
      {(["batched", "single"] as const).map((lane) => (
        <LaneView
          key={lane}
          lane={lane}
          wall={run.walls[lane]}
          tiles={playground.settings.callers.value}
          theme={playground.theme}
          slices={slicesOf(state)}
          isRunning={running === lane}
        />
      ))}
    </div>
  );
}
