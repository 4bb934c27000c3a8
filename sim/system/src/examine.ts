import type { Threads } from "./browser/threads.js";
import { checkCalls, checkEndurance } from "./check/calls.js";
import { checkOpening } from "./check/opening.js";
import { checkCalm } from "./check/calm.js";
import { ProgressCheck } from "./check/progress.js";
import { checkMemory, RecoveryCheck } from "./check/recovery.js";
import { checkRest } from "./check/rest.js";
import { checkEnds } from "./check/settles.js";
import { checkKeys } from "./check/keys.js";
import { checkQueues } from "./check/queues.js";
import { checkStats } from "./check/stats.js";
import { checkStored } from "./check/stored.js";
import { checkKept } from "./check/kept.js";
import { LeavingCheck } from "./check/leaving.js";
import { checkLines } from "./check/lines.js";
import { checkTabs } from "./check/tabs.js";
import { checkVerdicts } from "./check/verdicts.js";
import { checkTexts } from "./check/texts.js";
import { checkSequences } from "./check/sequences.js";
import { checkWays } from "./check/ways.js";
import type { Violation } from "./logs/violation.js";
import { Play } from "./play/play.js";
import type { Scenario, Step } from "./scenario/scenario.js";
import { buildScene } from "./play/stagehand.js";

/** Time after the last step within which everything must have settled: the longest timeouts of framebatch, several times. */
const SETTLE_MS = 20 * 60_000;
/** Time for which one item that hangs can hold up others: the silence of each of the 8 runs in which a search meets it, twice. */
const HANG_MS = 2 * 8 * 60_000;
/** A run hangs once it has taken so many times as long as one before: `TIMES_PREDICTED` in `watchdog.ts`. */
const HUNG_AFTER = 20;
/** Time in which everything must have ended after it was disposed of. */
const END_MS = 10 * 60_000;

/** What a scenario has shown. */
export interface Report {
  readonly violations: readonly Violation[];
  readonly calls: number;
  readonly answered: number;
  readonly tasks: number;
  /** Equal for two runs that did the same. */
  readonly digest: number;
  readonly codes: Readonly<Record<string, number>>;
}

/** Runs a scenario and checks every invariant. */
export async function examine(scenario: Scenario, threads: Threads, log?: (line: string) => void): Promise<Report> {
  const scene = buildScene(scenario, threads);
  const { world } = scene;
  world.log = log ?? null;
  const play = new Play(scenario, scene);
  const progress = new ProgressCheck(play, scene);
  const { witness } = scene.origin;
  const recovery = new RecoveryCheck(play, scene);
  const leaving = new LeavingCheck(play, scene);
  world.afterTask = () => {
    progress.look();
    witness.look();
    recovery.look();
    leaving.look();
  };
  play.plan();
  leaving.plan(scenario);
  const lastMs = Math.max(0, ...scenario.steps.map(({ atMs }) => atMs));
  await world.run(lastMs + SETTLE_MS + hangingItems(scenario) * HANG_MS + frozenMs(scenario) * HUNG_AFTER);
  const settled = [
    ...checkOpening(play, scenario, scene),
    ...checkCalls(scenario, scene, play),
    ...checkEndurance(play, scene),
    ...checkCalm(play, scenario),
    ...checkMemory(play, scene),
    ...checkSequences(play, scenario, scene),
    ...checkTexts(play, scenario, scene),
    ...checkLines(play),
    ...checkQueues(play, scenario, scene),
    ...checkKeys(play),
    ...checkStats(play),
    ...checkKept(play, scene),
    ...checkTabs(play, scenario),
    ...checkVerdicts(play, scenario),
    ...checkWays(play, scenario),
  ];
  world.afterTask = () => leaving.look();
  play.disposeAll();
  await world.run(world.nowMs + END_MS);
  witness.lookAtEnd();
  world.afterTask = null;
  const ended = checkEnds(play);
  const violations = [
    ...progress.violations,
    ...recovery.violations,
    ...leaving.violations,
    ...settled,
    ...ended,
    ...witness.violations,
    ...checkRest(scene),
    ...checkStored(play, scenario, scene),
  ];
  threads.endAll();
  return { violations, ...play.ledger.summary(), tasks: world.tasks, digest: world.digest };
}

/** How long pages are frozen. A run that is in progress then seems to take as long. */
function frozenMs({ steps }: Scenario): number {
  const sumOf = (turn: Step["do"]) => steps.reduce((sum, step) => sum + (step.do === turn ? step.atMs : 0), 0);
  return Math.max(0, sumOf("thaw") - sumOf("freeze"));
}

function hangingItems({ steps }: Scenario): number {
  const hanging = steps
    .flatMap((step) => ("items" in step ? step.items : []))
    .filter(({ poison, act }) => poison === "hang" || act?.does === "hang");
  return new Set(hanging.map(({ id }) => id)).size;
}
