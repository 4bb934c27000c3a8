import { useEffect, useMemo } from "preact/hooks";
import { formatNumber } from "../format.js";
import type { LaneName } from "../measure/gain.js";
import type { Race } from "../measure/race-pair.js";
import type { Playground } from "../playground.js";
import { LANE_LABELS } from "./lane-labels.js";
import { RacePlayer } from "./race-player.js";
import { paceOf, RACE_MS, replay, type RaceState } from "./race.js";

interface RaceViewProps {
  readonly race: Race;
  readonly playground: Playground;
}

const LANES = ["batched", "single"] as const;

/** Both lanes side by side at their recorded pace, for three seconds, as soon as it is shown. */
export function RaceView({ race, playground: { comparing } }: RaceViewProps) {
  const player = useMemo(() => new RacePlayer(comparing), [comparing]);
  useEffect(() => {
    if (!comparing.peek()) player.start();
    return () => player.stop();
  }, [player]);
  const elapsedMs = player.elapsedMs.value;
  const pace = paceOf(race);
  const at = (lane: LaneName, shownMs: number): RaceState => replay(race[lane], pace * shownMs);
  const most = Math.max(1, ...LANES.map((lane) => at(lane, RACE_MS).answers));
  return (
    <section class="race takeaway" aria-labelledby="race-heading" data-testid="race">
      <div class="race-head">
        <h3 id="race-heading">The race</h3>
        <button
          type="button"
          class="button"
          data-testid="watch-race"
          disabled={comparing.value && !player.isRunning.value}
          onClick={() => player.start()}
        >
          Watch again
        </button>
      </div>
      <p class="race-words">
        The pair of slices that is nearest to the result, over and over for three seconds,{" "}
        {pace === 1 ? "at the recorded pace" : `${formatNumber(pace)} times as fast as recorded`}. The dot moves with
        each frame that the page painted, so dropped frames make it stutter.
      </p>
      <div class="race-lanes">
        {LANES.map((lane) => (
          <RaceLane key={lane} lane={lane} state={at(lane, elapsedMs)} most={most} />
        ))}
      </div>
      <p class="visually-hidden" role="status" data-testid="race-result">
        {elapsedMs === RACE_MS ? describeRace(race) : ""}
      </p>
    </section>
  );
}

interface RaceLaneProps {
  readonly lane: LaneName;
  readonly state: RaceState;
  /** Number of answers that fill the bar. */
  readonly most: number;
}

function RaceLane({ lane, state, most }: RaceLaneProps) {
  return (
    <div class={`race-lane lane-${lane}`}>
      <p class="race-total">
        <strong>{LANE_LABELS[lane]}</strong>
        <span data-testid={`race-${lane}`}>{describeState(state)}</span>
      </p>
      <div class="race-track" aria-hidden="true">
        <span class="race-bar" style={`transform: scaleX(${state.answers / most})`} />
      </div>
      <div class="race-road" aria-hidden="true">
        <span class="race-mark" style={`transform: translateX(${100 * state.mark}%)`} />
      </div>
    </div>
  );
}

/** "Batching on: 1,204 answers, 3 dropped frames. Batching off: 310 answers, 0 dropped frames." */
function describeRace(race: Race): string {
  const recordedMs = paceOf(race) * RACE_MS;
  return LANES.map((lane) => `${LANE_LABELS[lane]}: ${describeState(replay(race[lane], recordedMs))}.`).join(" ");
}

/** "1,204 answers, 3 dropped frames" */
function describeState({ answers, dropped }: RaceState): string {
  return `${count(answers, "answer")}, ${count(dropped, "dropped frame")}`;
}

function count(number: number, noun: string): string {
  return `${formatNumber(number)} ${noun}${number === 1 ? "" : "s"}`;
}
