import { useMemo } from "preact/hooks";
import type { Load } from "../measure/slice.js";
import { describeComparison } from "../measure/verdict.js";
import type { Playground } from "../playground.js";
import { PACES, type Pace } from "../settings.js";
import { LoadProgressBar } from "../shell/load-progress.js";
import { ComparisonRun, type ComparisonState } from "./comparison-run.js";
import { ComparisonTable } from "./comparison-table.js";
import { LatencyChart } from "./latency-chart.js";
import { LANE_LABELS } from "./lane-labels.js";
import { SliceStrip } from "./slice-strip.js";

const PACE_LABELS: Readonly<Record<Pace, string>> = {
  continuous: "as soon as it has its answer",
  frame: "once a frame",
};

interface ComparisonPanelProps {
  readonly playground: Playground;
  /** The scene's own load, as it is set when the comparison starts. */
  readonly createLoad: () => Load;
}

/** Runs the scene's load with batching and without, and says which is better here. */
export function ComparisonPanel({ playground, createLoad }: ComparisonPanelProps) {
  const run = useMemo(() => new ComparisonRun(playground), [playground]);
  const state = run.state.value;
  return (
    <section class="card comparison-panel" aria-labelledby="comparison-heading">
      <div class="comparison-head">
        <div>
          <h2 id="comparison-heading">Does batching pay here?</h2>
          <p>
            The same load, both ways in turn, on your device. Each of the {playground.settings.tiles} tiles asks again{" "}
            <PaceSelect playground={playground} />
          </p>
        </div>
        {playground.comparing.value ? (
          <button type="button" class="button" onClick={() => run.stop()}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="button button-primary"
            data-testid="compare"
            onClick={() => void run.start(createLoad)}
          >
            Compare
          </button>
        )}
      </div>
      <Status state={state} playground={playground} />
      {state.phase === "measuring" ? (
        <SliceStrip slices={state.progress.soFar} next={state.progress.next} total={state.progress.total} />
      ) : null}
      {state.phase === "done" ? (
        <div class="comparison" data-testid="comparison">
          <div class="comparison-figures">
            <ComparisonTable comparison={state.comparison} />
            <LatencyChart comparison={state.comparison} theme={playground.theme} />
          </div>
          <SliceStrip slices={state.comparison.slices} next={null} total={state.comparison.slices.length} />
        </div>
      ) : null}
    </section>
  );
}

function PaceSelect({ playground }: { playground: Playground }) {
  const { settings, comparing } = playground;
  return (
    <select
      class="select select-inline"
      aria-label="When a tile asks again"
      data-testid="pace"
      value={settings.pace}
      disabled={comparing}
      onChange={({ currentTarget }) =>
        (settings.pace.value = PACES.find((pace) => pace === currentTarget.value) ?? "continuous")
      }
    >
      {PACES.map((pace) => (
        <option key={pace} value={pace}>
          {PACE_LABELS[pace]}
        </option>
      ))}
    </select>
  );
}

/** The verdict, or how far the run has got: the one part that a screen reader hears. */
function Status({ state, playground }: { state: ComparisonState; playground: Playground }) {
  const { batched, single } = playground.lanes.value;
  return (
    <>
      <p class={state.phase === "done" ? "verdict" : "comparison-status"} role="status" data-testid="verdict">
        {describeState(state)}
      </p>
      {state.phase === "loading"
        ? [batched, single].map((lane, index) => <LoadProgressBar key={index} lane={lane} />)
        : null}
    </>
  );
}

function describeState(state: ComparisonState): string {
  switch (state.phase) {
    case "idle":
      return "";
    case "loading":
      return "Preparing both ways…";
    case "measuring":
      return `Measuring: ${LANE_LABELS[state.progress.next].toLowerCase()}`;
    case "done":
      return describeComparison(state.comparison);
    case "stopped":
      return state.message;
  }
}
