import { describeEffect } from "../measure/verdict.js";
import { effectOf, type Gains, type Measure } from "../measure/gain.js";
import { BreakEvenChart } from "./break-even-chart.js";
import { describeBreakEven } from "./break-even.js";
import type { SweepProgress, SweepRun, SweepState } from "./sweep-run.js";
import type { SweepResult } from "./sweep.js";
import { bestOf, type TriedVariant } from "./variants.js";

const FAILED = "The model does not run, so there is nothing to try.";

/** Answers with which settings batching pays most, and from how many callers. */
export function SweepCard({ run }: { run: SweepRun }) {
  const state = run.state.value;
  return (
    <section
      class="card sweep"
      aria-labelledby="sweep-heading"
      data-outdated={run.isOutdated.value}
      data-testid="sweep"
    >
      <div class="card-head">
        <div>
          <h2 id="sweep-heading">From how many callers, and with which settings?</h2>
          <p class="sweep-words" role="status" data-testid="sweep-words">
            {run.playground.hasFailed.value ? FAILED : describe(state, run.isOutdated.value)}
          </p>
        </div>
        <SweepButton run={run} state={state} />
      </div>
      {state.phase === "running" ? <Progress progress={state.progress} /> : null}
      {state.phase === "done" ? <Result run={run} result={state.result} /> : null}
    </section>
  );
}

function SweepButton({ run, state }: { run: SweepRun; state: SweepState }) {
  if (state.phase === "running") {
    return (
      <button type="button" class="button" onClick={() => run.stop()}>
        Stop
      </button>
    );
  }
  return (
    <button
      type="button"
      class="button"
      data-testid="sweep-start"
      disabled={!run.playground.canMeasure.value}
      onClick={() => void run.start()}
    >
      Try them
    </button>
  );
}

function describe(state: SweepState, isOutdated: boolean): string {
  switch (state.phase) {
    case "idle":
      return "Tries 1 to 64 callers and other settings, in about half a minute.";
    case "running":
      return "Trying callers and settings…";
    case "done": {
      const words = `${describeBreakEven(state.result.points)} ${describeBest(state.result)}`;
      return isOutdated ? `The settings have changed. Before: ${words}` : words;
    }
    case "stopped":
      return state.message;
  }
}

function describeBest({ tried, callers }: SweepResult): string {
  const best = bestOf(tried, callers);
  return best === null ? "No other setting is clearly better than the current ones." : `Better here: ${best.name}.`;
}

function Progress({ progress: { name, done, total } }: { progress: SweepProgress }) {
  return (
    <div class="progress" data-testid="sweep-progress">
      <span class="progress-label">
        {name}, {done + 1} of {total}
      </span>
      <progress aria-label="Progress of the trials" max={total} value={done} />
    </div>
  );
}

function Result({ run, result: { callers, points, tried } }: { run: SweepRun; result: SweepResult }) {
  const { playground } = run;
  const best = bestOf(tried, callers);
  return (
    <div class="sweep-result" data-testid="sweep-result-details">
      <BreakEvenChart points={points} theme={playground.theme} />
      <div>
        <table class="comparison-table">
          <caption>Other settings, relative to the current ones</caption>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Throughput</th>
              <th scope="col">Median latency</th>
            </tr>
          </thead>
          <tbody>
            {tried.map((one) => (
              <Row key={one.variant.name} tried={one} callers={callers} isBest={one.variant === best} />
            ))}
          </tbody>
        </table>
        {best === null || run.isOutdated.value ? null : (
          <button
            type="button"
            class="button"
            data-testid="sweep-use"
            onClick={() => playground.settings.changeModel(best.change)}
          >
            Use it: {best.name}
          </button>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  readonly tried: TriedVariant;
  readonly callers: number;
  readonly isBest: boolean;
}

function Row({ tried: { variant, gains }, callers, isBest }: RowProps) {
  return (
    <tr>
      <th scope="row" class={isBest ? "better" : ""}>
        {variant.name}
      </th>
      {gains === null ? (
        <td colSpan={2}>does not run here</td>
      ) : (
        <>
          <EffectCell gains={gains} measure="throughput" callers={callers} />
          <EffectCell gains={gains} measure="median" callers={callers} />
        </>
      )}
    </tr>
  );
}

function EffectCell({ gains, measure, callers }: { gains: Gains; measure: Measure; callers: number }) {
  const effect = effectOf(measure, gains[measure], callers);
  return (
    <td class="verdict-effect" data-effect={effect}>
      {describeEffect(measure, gains[measure], effect)}
    </td>
  );
}
