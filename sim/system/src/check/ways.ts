import type { Entry } from "../logs/ledger.js";
import type { Life, Play } from "../play/play.js";
import type { Scenario, Speeds } from "../scenario/scenario.js";
import type { Violation } from "../logs/violation.js";

/** What happens to a page or a worker may make a way seem slow. */
const DISTURBING = /"poison"|"on":"(run|time)"|"do":"(restart|busy|hide|freeze|crash)"/;

/** How many times as fast is clearly faster. */
const CLEARLY = 1.2;

/** What a model tells of a way to run. */
interface Trial {
  readonly provider: "webgpu" | "wasm";
  readonly numThreads: number;
  readonly chosen: boolean;
  readonly reason: string;
  /** Whether its answers were those of the model's own way; `null` if none was compared. */
  readonly agrees: boolean | null;
}

/** What a model tells of the answers of its provider. */
interface ProviderCheck {
  readonly provider: "webgpu" | "wasm";
  readonly outcome: "passed" | "failed" | "inconclusive" | "skipped";
}

/** A model compares its ways to run: it finds out which answer otherwise, leaves or avoids those, and goes to a faster one. */
export function checkWays(play: Play, scenario: Scenario): Violation[] {
  const isCalm = !DISTURBING.test(JSON.stringify(scenario));
  return play.lives.flatMap((life) => {
    const trials = trialsOf(life);
    const found = [
      hasGoneWrong(life, play, scenario),
      staysWrong(life, trials),
      isJudgedWrongly(life),
      ...(isCalm ? [isNotJudged(life)] : []),
      ...trials.map((trial) => differsWrongly(life, trial)),
      ...(isCalm ? trials.map((trial) => isToldWrongly(trial, scenario)) : []),
    ];
    return found.flatMap((what) => (what === null ? [] : [{ rule: "ways", what: `subject ${life.index} ${what}` }]));
  });
}

/** A model that has begun on WASM does not go to a GPU whose answers are others, unless a restart tries every provider again. */
function hasGoneWrong({ index, gpuFactor }: Life, { ledger }: Play, { steps }: Scenario): string | null {
  if (gpuFactor === 1 || steps.some((step) => step.do === "restart")) return null;
  const isOwn = ({ subject }: Entry) => subject === index;
  const own = [...ledger.entries.values()].filter(isOwn).toSorted((a, b) => a.askedAtMs - b.askedAtMs);
  const wrong = own.find(({ providers }) => providers[0] === "webgpu");
  if (wrong === undefined || own[0]?.providers[0] !== "wasm") return null;
  return `has left WASM for a GPU that is wrong, before call ${wrong.call}`;
}

/** A comparison of the GPU with WASM comes to the outcome that is true. */
function isJudgedWrongly(life: Life): string | null {
  const { provider, outcome } = providerCheckOf(life);
  if (provider !== "webgpu") return null;
  if (outcome === "failed" && life.gpuFactor === 1)
    return "says that the answers of the GPU are wrong, which are right";
  return outcome === "passed" && life.gpuFactor !== 1 ? "says that the GPU agrees with WASM, which it does not" : null;
}

/** In seconds of requests, the answers of a wrong GPU are compared, and it is left. */
function isNotJudged(life: Life): string | null {
  const isWrong =
    life.gpuFactor !== 1 && providerCheckOf(life).provider === "webgpu" && life.callable?.provider === "webgpu";
  return isWrong && life.options["verify"] !== false ? "stays on a GPU that is wrong" : null;
}

function providerCheckOf({ callable, page, disposedAtMs }: Life): Partial<ProviderCheck> {
  if (callable?.state !== "ready" || callable.provider === undefined || page.isEnded || disposedAtMs !== null)
    return {};
  return Reflect.get(Object(callable.stats()), "providerCheck") ?? {};
}

function trialsOf({ callable, page, disposedAtMs }: Life): readonly Trial[] {
  if (callable?.state !== "ready" || callable.provider === undefined || page.isEnded || disposedAtMs !== null)
    return [];
  return Reflect.get(Object(callable.stats()), "providerTrials") ?? [];
}

/** A model does not stay on a GPU whose answers differ from those of WASM. */
function staysWrong({ callable }: Life, trials: readonly Trial[]): string | null {
  const differs = trials.some(({ provider, agrees }) => provider === "wasm" && agrees === false);
  if (!differs || callable?.provider !== "webgpu") return null;
  return "stays on a GPU whose answers differ from those of WASM";
}

function differsWrongly({ gpuFactor }: Life, { provider, agrees }: Trial): string | null {
  return agrees === false && gpuFactor === 1 ? `says that the answers of ${provider} differ, which are the same` : null;
}

/**
 * Batches of several items may make a way that is as fast as another one seem a little faster, but not one that is slower
 * than all. A way that is faster than all wins, also if it is so only after a while.
 */
function isToldWrongly(trial: Trial, { speeds = { gpu: 1, threads: 1 }, isIsolated }: Scenario): string | null {
  if (!trial.reason.includes("times as fast") || speeds.areForOne === true) return null;
  const all = [1, speeds.gpu, ...(isIsolated === true ? [speeds.threads] : [])];
  const own = speedOf(trial, speeds);
  const isSlowest = all.filter((speed) => speed > own * CLEARLY).length === all.length - 1;
  const isFastest = all.filter((speed) => speed * CLEARLY < own).length === all.length - 1;
  if (trial.chosen ? !isSlowest : !isFastest) return null;
  const told = `says that ${trial.provider} with ${trial.numThreads} threads is ${trial.reason}`;
  return `${told}, and it is ${trial.chosen ? "slower" : "faster"} than the others`;
}

function speedOf({ provider, numThreads }: Trial, { gpu, threads }: Speeds): number {
  if (provider === "webgpu") return gpu;
  return numThreads > 1 ? threads : 1;
}
