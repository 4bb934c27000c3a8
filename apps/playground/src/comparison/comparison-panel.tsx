import { useEffect, useMemo } from "preact/hooks";
import type { SliceResult } from "../measure/compare.js";
import { describeComparison } from "../measure/verdict.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import { LoadProgressBar } from "../shell/load-progress.js";
import { ComparisonRun, type ComparisonState } from "./comparison-run.js";
import { ComparisonTable } from "./comparison-table.js";
import { LaneView } from "./lane-view.js";
import { LatencyChart } from "./latency-chart.js";
import { LANE_LABELS } from "./lane-labels.js";
import { SliceStrip } from "./slice-strip.js";
import { Takeaway } from "./takeaway.js";

interface ComparisonPanelProps {
  readonly playground: Playground;
  readonly scene: Scene;
}

/** Runs the scene's load with and without batching, and shows which is better on this device. */
export function ComparisonPanel({ playground, scene }: ComparisonPanelProps) {
  const run = useMemo(() => new ComparisonRun(playground), [playground]);
  useEffect(() => () => run.dispose(), [run]);
  const state = run.state.value;
  return (
    <section class="card comparison-panel" aria-labelledby="comparison-heading">
      <div class="comparison-head">
        <div>
          <h2 id="comparison-heading">Does batching pay off here?</h2>
          <p>
            Runs the load of {playground.settings.tiles} {scene.callers.many} with and without batching, in turn, for
            ten seconds on your device.
          </p>
        </div>
        <RunButton run={run} playground={playground} scene={scene} />
      </div>
      <Status state={state} playground={playground} />
      <Lanes run={run} playground={playground} />
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
          <Takeaway comparison={state.comparison} playground={playground} />
        </div>
      ) : null}
    </section>
  );
}

function RunButton({ run, playground, scene }: ComparisonPanelProps & { readonly run: ComparisonRun }) {
  if (playground.comparing.value) {
    return (
      <button type="button" class="button" onClick={() => run.stop()}>
        Stop
      </button>
    );
  }
  return (
    <button
      type="button"
      class="button button-primary"
      data-testid="compare"
      disabled={playground.lanes.value === null}
      onClick={() => void run.start(() => scene.createLoad())}
    >
      Compare
    </button>
  );
}

/** Both walls. They are rendered from the start, so that the layout does not shift when they fill. */
function Lanes({ run, playground }: { run: ComparisonRun; playground: Playground }) {
  const state = run.state.value;
  const running = state.phase === "measuring" ? state.progress.next : null;
  return (
    <div class="lanes">
      {(["batched", "single"] as const).map((lane) => (
        <LaneView
          key={lane}
          lane={lane}
          wall={run.walls[lane]}
          tiles={playground.settings.tiles.value}
          theme={playground.theme}
          slices={slicesOf(state)}
          isRunning={running === lane}
        />
      ))}
    </div>
  );
}

function slicesOf(state: ComparisonState): readonly SliceResult[] {
  if (state.phase === "measuring") return state.progress.soFar;
  return state.phase === "done" ? state.comparison.slices : [];
}

/** The verdict or the progress of the run. This is the only part that screen readers announce. */
function Status({ state, playground }: { state: ComparisonState; playground: Playground }) {
  const lanes = playground.lanes.value;
  return (
    <>
      <p class={state.phase === "done" ? "verdict" : "comparison-status"} role="status" data-testid="verdict">
        {describeState(state)}
      </p>
      {state.phase === "loading" && lanes !== null
        ? [lanes.batched, lanes.single].map((lane, index) => <LoadProgressBar key={index} lane={lane} />)
        : null}
    </>
  );
}

function describeState(state: ComparisonState): string {
  switch (state.phase) {
    case "idle":
      return "";
    case "loading":
      return "Preparing both models…";
    case "measuring":
      return `Measuring: ${LANE_LABELS[state.progress.next].toLowerCase()}`;
    case "done":
      return describeComparison(state.comparison);
    case "stopped":
      return state.message;
  }
}
