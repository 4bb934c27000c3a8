import type { Playground } from "../playground.js";
import { CopyButton } from "../shell/copy-button.js";
import { saveJson, saveUrl } from "../shell/save-file.js";
import { slicesOf, slicesProgress, type ComparisonRun } from "../comparison/comparison-run.js";
import { ComparisonTable } from "./comparison-table.js";
import { LaneView } from "./lane-view.js";
import { LatencyChart } from "./latency-chart.js";
import type { Measured } from "../comparison/measured.js";
import { comparisonReport } from "./report.js";
import { RaceView } from "./race-view.js";
import { drawResult } from "./result-image.js";
import { SliceStrip } from "./slice-strip.js";

/** How the verdict came about: the answers of both lanes, all figures, the slices, and the options as code. */
export function Evidence({ run }: { run: ComparisonRun }) {
  const state = run.state.value;
  const progress = slicesProgress(state);
  return (
    <section
      id="evidence"
      class="card evidence"
      aria-labelledby="evidence-heading"
      data-outdated={run.isOutdated.value}
      tabIndex={-1}
    >
      <h2 id="evidence-heading">Both ways in detail</h2>
      <Lanes run={run} />
      {progress === null ? null : <SliceStrip slices={progress.soFar} next={progress.next} total={progress.total} />}
      {state.phase === "done" ? <Details measured={state.result} run={run} /> : null}
    </section>
  );
}

function Details({ measured, run: { playground } }: { measured: Measured; run: ComparisonRun }) {
  const { comparison } = measured;
  return (
    <div class="comparison" data-testid="comparison">
      <RaceView recordings={comparison.recordings} playground={playground} />
      <div class="comparison-figures">
        <ComparisonTable comparison={comparison} effects={measured.verdict.effects} />
        <LatencyChart comparison={comparison} theme={playground.theme} />
      </div>
      <SliceStrip slices={comparison.slices} next={null} total={comparison.slices.length} />
      <Code measured={measured} playground={playground} />
    </div>
  );
}

function Code({ measured, playground }: { measured: Measured; playground: Playground }) {
  const { snippet } = measured;
  return (
    <div class="takeaway">
      <h3>The same as code</h3>
      <pre class="snippet" tabIndex={0} aria-label="Options as code">
        <code data-testid="snippet">{snippet}</code>
      </pre>
      <div class="takeaway-actions">
        <CopyButton label="Copy the code" text={() => snippet} testId="copy" />
        <button
          type="button"
          class="button"
          data-testid="report"
          onClick={() => saveJson("framebatch-comparison.json", comparisonReport(measured, navigator.userAgent))}
        >
          Download the report
        </button>
        <button
          type="button"
          class="button"
          data-testid="save-image"
          onClick={() => saveUrl("framebatch-result.png", drawResult(measured, playground.theme))}
        >
          Save as an image
        </button>
      </div>
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
