import { useRef } from "preact/hooks";
import { slicesOf, type ComparisonRun, type ComparisonState } from "../comparison/comparison-run.js";
import { describeConditions } from "../comparison/conditions.js";
import { describeFinding, headlineOfFinding } from "../comparison/describe-finding.js";
import type { Finding } from "../comparison/finding.js";
import type { Measured } from "../comparison/measured.js";
import { formatMs } from "../format.js";
import { describeNoise } from "../measure/noise.js";
import type { ModelLanes } from "../model-lanes.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import { FileButton } from "../shell/file-button.js";
import { LoadProgressBar } from "../shell/load-progress.js";
import { announce } from "./announcement.js";
import { Answer } from "./answer.js";
import { describeRemaining } from "./remaining.js";
import { CodePanel, Takeaways } from "./takeaways.js";
import { FactsSoFar, VerdictFacts } from "./verdict-facts.js";
import { WaysList } from "./ways-list.js";

const HEADING = "Does batching pay here?";
const COMING = "Then: a link to the result, the code, a race, an image, a report, and which way to run.";
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
        {state.phase === "idle" ? <OwnModelButton playground={run.playground} /> : null}
      </div>
      {state.phase === "done" ? (
        <Result run={run} finding={state.result} isOutdated={isOutdated} />
      ) : (
        <>
          <div class="verdict-words">
            <Status run={run} state={state} />
          </div>
          {state.phase === "running" ? (
            <>
              <FactsSoFar slices={slicesOf(state)} />
              <p class="verdict-conditions">{METHOD}</p>
              <div class="verdict-more">
                <p class="verdict-coming">{COMING}</p>
              </div>
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
  const { playground } = run;
  // The result of a link has the same button.
  const isSecond = phase === "idle" && playground.settings.result.value !== null;
  return (
    <button
      type="button"
      class={`button${(isRepeated && !isOutdated) || isSecond ? "" : " button-primary"}`}
      data-testid="compare"
      disabled={!playground.canMeasure.value}
      onClick={() => void run.start()}
    >
      {isRepeated ? "Measure again" : "Measure it properly"}
    </button>
  );
}

/** The way from the scenes of the page to the visitor's own model, which may also be dropped anywhere. */
function OwnModelButton({ playground }: { playground: Playground }) {
  const input = useRef<HTMLInputElement>(null);
  if (playground.settings.scene.value === "model") return null;
  return (
    <FileButton
      input={input}
      class="button"
      label="Your model's file"
      testId="own-model"
      onFiles={(files) => playground.takeFiles(files)}
    >
      Drop your model
    </FileButton>
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
      return <Progress words={describeRemaining(progress)} value={progress.soFar.length / progress.total} />;
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

function describePlan({ lanes, settings, hasFailed, obstacle }: Playground, { callers }: Scene): string {
  if (hasFailed.value) return "The model does not run, so there is nothing to measure. The message above says why.";
  if (lanes.value === null) return "Choose a model below. The answer then takes 10 to 30 seconds.";
  if (obstacle.value !== null) return obstacle.value;
  const load = settings.callers.value === 1 ? `1 ${callers.one}` : `${settings.callers.value} ${callers.many}`;
  return `Compares ${load} with and without batching, on this device. The answer takes 10 to 30 seconds.`;
}

function Progress({ words, value }: { words: string; value?: number }) {
  return (
    <div class="progress verdict-progress" data-testid="countdown">
      <span>{words}</span>
      <progress aria-label="Progress of the comparison" max={1} {...(value !== undefined && { value })} />
    </div>
  );
}

interface ResultProps {
  readonly run: ComparisonRun;
  readonly finding: Finding;
  readonly isOutdated: boolean;
}

function Result({ run, finding, isOutdated }: ResultProps) {
  const answer = finding.kind === "measured" ? finding.measured.verdict.answer : finding.kind;
  return (
    <>
      <div class="verdict-words">
        <Answer headline={headlineOfFinding(finding)} answer={answer} sentence={describeFinding(finding)} />
        {finding.kind === "slow" ? <SlowChoices run={run} finding={finding} /> : null}
        {finding.kind === "cannot" && finding.snippet !== null ? <CodePanel snippet={finding.snippet} /> : null}
      </div>
      {finding.kind === "measured" ? (
        <MeasuredResult run={run} measured={finding.measured} isOutdated={isOutdated} />
      ) : (
        <p class="verdict-conditions">{isOutdated ? <Outdated /> : null}</p>
      )}
    </>
  );
}

function MeasuredResult({ run, measured, isOutdated }: Omit<ResultProps, "finding"> & { measured: Measured }) {
  const { comparison, conditions, verdict } = measured;
  return (
    <>
      <VerdictFacts outcome={comparison} verdict={verdict} />
      <p class="verdict-conditions" data-testid="conditions">
        {isOutdated ? <Outdated /> : null}
        {describeNoise(comparison.noise)} Measured with {describeConditions(conditions, comparison)}{" "}
        <a class="link" href="#evidence">
          Details
        </a>
      </p>
      <div class="verdict-more">
        <Takeaways measured={measured} playground={run.playground} />
        <WaysList stats={comparison.batched.stats} allowed={measured.options.executionProviders} />
      </div>
    </>
  );
}

function Outdated() {
  return <strong>The settings have changed: measure again. </strong>;
}

/** What a visitor with a slow model can do: wait, or measure with fewer callers. */
function SlowChoices({ run, finding: { slowness } }: { run: ComparisonRun; finding: Finding & { kind: "slow" } }) {
  const { settings } = run.playground;
  const { needMs } = slowness;
  const fewerCallers = settings.callersUpTo(slowness.fewerCallers ?? 0);
  return (
    <div class="takeaway-actions">
      <button type="button" class="button" data-testid="wait" onClick={() => void run.startPatiently()}>
        Measure for {formatMs(needMs)}
      </button>
      {fewerCallers === null ? null : (
        <button
          type="button"
          class="button button-primary"
          data-testid="fewer-callers"
          onClick={() => {
            settings.changeCallers(fewerCallers);
            void run.start();
          }}
        >
          Use {fewerCallers} callers instead
        </button>
      )}
    </div>
  );
}
