import { formatNumber } from "../format.js";
import type { ModelLanes } from "../model-lanes.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import type { Settings } from "../settings.js";
import { CopyButton } from "../shell/copy-button.js";
import { LoadProgressBar } from "../shell/load-progress.js";
import { SceneLink } from "../shell/scene-link.js";
import { announce } from "./announcement.js";
import { Answer } from "./answer.js";
import { slicesOf, type ComparisonRun, type ComparisonState } from "../comparison/comparison-run.js";
import { describeConditions } from "../comparison/conditions.js";
import type { Measured } from "../comparison/measured.js";
import { FactsSoFar, VerdictFacts } from "./verdict-facts.js";

const HEADING = "Does batching pay here?";
const METHOD = "Both ways run the same load in turn, in short slices. An unclear result extends itself.";

/** The question, its button, and the answer. The rest of the page is the evidence. */
export function VerdictCard({ run }: { run: ComparisonRun }) {
  const state = run.state.value;
  const isOutdated = run.isOutdated.value;
  return (
    <section
      class="card verdict-card"
      aria-labelledby="verdict-heading"
      data-phase={state.phase}
      data-outdated={isOutdated}
      data-testid="verdict-card"
    >
      <h2 id="verdict-heading">{HEADING}</h2>
      <div class="verdict-actions">
        <RunButton run={run} isOutdated={isOutdated} />
        {state.phase === "idle" ? <OwnModelLink settings={run.playground.settings} /> : null}
        {state.phase === "done" ? <LinkButton measured={state.result} /> : null}
      </div>
      {state.phase === "done" ? (
        <Result measured={state.result} isOutdated={isOutdated} />
      ) : (
        <>
          <div class="verdict-words">
            <Status run={run} state={state} />
          </div>
          {state.phase === "running" ? (
            <>
              <FactsSoFar slices={slicesOf(state)} />
              <p class="verdict-conditions">{METHOD}</p>
            </>
          ) : null}
        </>
      )}
      <p class="visually-hidden" role="status" data-testid="announcement">
        {announce(state)}
      </p>
    </section>
  );
}

function RunButton({ run, isOutdated }: { run: ComparisonRun; isOutdated: boolean }) {
  const { phase } = run.state.value;
  if (phase === "running") {
    return (
      <button type="button" class="button" data-testid="stop" onClick={() => run.stop()}>
        Stop
      </button>
    );
  }
  const isRepeated = phase === "done";
  return (
    <button
      type="button"
      class={`button${isRepeated && !isOutdated ? "" : " button-primary"}`}
      data-testid="compare"
      disabled={run.playground.lanes.value === null || run.playground.comparing.value}
      onClick={() => void run.start()}
    >
      {isRepeated ? "Measure again" : "Measure it properly"}
    </button>
  );
}

/** The way from the scenes of the page to the visitor's own model. */
function OwnModelLink({ settings }: { settings: Settings }) {
  if (settings.scene.value === "model") return null;
  return (
    <SceneLink settings={settings} name="model" class="button" testId="own-model">
      Drop your model
    </SceneLink>
  );
}

/** What will happen, or how far it is. */
function Status({ run: { playground, scene }, state }: { run: ComparisonRun; state: ComparisonState }) {
  if (state.phase !== "running") {
    return (
      <p class="verdict-sentence" data-testid="verdict">
        {(state.phase === "stopped" && state.message) || describePlan(playground, scene)}
      </p>
    );
  }
  const { progress } = state;
  switch (progress.step) {
    case "loading":
      return <Loading lanes={playground.lanes.value} />;
    case "trial":
      return <Progress words="A trial round sets the length of the comparison…" />;
    case "measuring":
      return (
        <Progress words={describeRemaining(progress.remainingMs)} value={progress.soFar.length / progress.total} />
      );
  }
}

function Loading({ lanes }: { lanes: ModelLanes | null }) {
  return (
    <>
      <p class="verdict-sentence">Loading a second copy of the model, so that both ways can run…</p>
      {lanes === null
        ? null
        : [lanes.batched, lanes.single].map((lane, index) => <LoadProgressBar key={index} lane={lane} />)}
    </>
  );
}

function describePlan({ lanes, settings }: Playground, { callers }: Scene): string {
  if (lanes.value === null) return "Choose a model below. The answer then takes about ten seconds.";
  const load = settings.callers.value === 1 ? `1 ${callers.one}` : `${settings.callers.value} ${callers.many}`;
  return `Compares ${load} with and without batching, on this device, in about ten seconds.`;
}

function Progress({ words, value }: { words: string; value?: number }) {
  return (
    <div class="progress verdict-progress" data-testid="countdown">
      <span>{words}</span>
      <progress aria-label="Progress of the comparison" max={1} {...(value !== undefined && { value })} />
    </div>
  );
}

/** "About 8 seconds left" */
function describeRemaining(remainingMs: number): string {
  const seconds = Math.max(1, Math.round(remainingMs / 1000));
  return `Measuring both ways in turn. About ${formatNumber(seconds)} ${seconds === 1 ? "second" : "seconds"} left.`;
}

function Result({ measured: { comparison, conditions, verdict }, isOutdated }: ResultProps) {
  return (
    <>
      <div class="verdict-words">
        <Answer outcome={comparison} verdict={verdict} />
      </div>
      <VerdictFacts outcome={comparison} verdict={verdict} />
      <p class="verdict-conditions" data-testid="conditions">
        {isOutdated ? <strong>The settings have changed: measure again. </strong> : null}
        Measured with {describeConditions(conditions, comparison)}{" "}
        <a class="link" href="#evidence">
          Details and code
        </a>
      </p>
    </>
  );
}

interface ResultProps {
  readonly measured: Measured;
  readonly isOutdated: boolean;
}

/** Copies a link with the settings and the result, but without a model file. */
function LinkButton({ measured: { link } }: { measured: Measured }) {
  return <CopyButton label="Copy link" text={() => link} testId="copy-link" />;
}
