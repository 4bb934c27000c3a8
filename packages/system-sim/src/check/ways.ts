import type { Entry } from "../program/ledger.js";
import type { Life, Play } from "../program/play.js";
import type { Scenario } from "../program/scenario.js";
import type { Violation } from "./violation.js";

/** What happens to a page or a worker may make a way seem slow. */
const DISTURBING = /"poison"|"on":"(run|time)"|"do":"(restart|busy|hide|freeze|crash)"/;

/** How many times as fast is clearly faster. */
const CLEARLY = 1.2;

/** What a model tells of a way to run. */
interface Trial {
  readonly provider: "webgpu" | "wasm";
  readonly numThreads: number;
  readonly reason: string;
  /** Whether its answers were those of the model's own way; `null` if none was compared. */
  readonly agrees: boolean | null;
}

/** A model compares its ways to run: it finds out which answer otherwise, leaves or avoids those, and goes to a faster one. */
export function checkWays(play: Play, scenario: Scenario): Violation[] {
  const isCalm = !DISTURBING.test(JSON.stringify(scenario));
  return play.lives.flatMap((life) => {
    const found = [
      hasGoneWrong(life, play),
      staysWrong(life),
      ...trialsOf(life).map((trial) => wrongTrial(life, trial, isCalm && scenario)),
    ];
    return found.flatMap((what) => (what === null ? [] : [{ rule: "ways", what: `subject ${life.index} ${what}` }]));
  });
}

/** A model that has begun on WASM does not go to a GPU whose answers are others. */
function hasGoneWrong({ index, gpuFactor }: Life, { ledger }: Play): string | null {
  if (gpuFactor === 1) return null;
  const isOwn = ({ subject }: Entry) => subject === index;
  const own = [...ledger.entries.values()].filter(isOwn).toSorted((a, b) => a.askedAtMs - b.askedAtMs);
  const wrong = own.find(({ providers }) => providers[0] === "webgpu");
  if (wrong === undefined || own[0]?.providers[0] !== "wasm") return null;
  return `has left WASM for a GPU that is wrong, before call ${wrong.call}`;
}

function trialsOf({ callable, page, disposedAtMs }: Life): readonly Trial[] {
  if (callable?.state !== "ready" || callable.provider === undefined || page.isEnded || disposedAtMs !== null)
    return [];
  return Reflect.get(Object(callable.stats()), "providerTrials") ?? [];
}

/** A model does not stay on a GPU whose answers differ from those of WASM. */
function staysWrong(life: Life): string | null {
  const differs = trialsOf(life).some(({ provider, agrees }) => provider === "wasm" && agrees === false);
  if (!differs || life.callable?.provider !== "webgpu") return null;
  return "stays on a GPU whose answers differ from those of WASM";
}

function wrongTrial({ gpuFactor }: Life, trial: Trial, calm: Scenario | false): string | null {
  const { provider, agrees, reason } = trial;
  if (agrees === false && gpuFactor === 1) return `says that the answers of ${provider} differ, which are the same`;
  const isGain = reason.includes("at least");
  return isGain && calm !== false && isSlowest(trial, calm)
    ? `says that ${provider} is ${reason}, and it is slower`
    : null;
}

/** Whether all other ways are clearly faster. Batches of several items may make one as fast as it seem a little faster. */
function isSlowest(
  { provider, numThreads }: Trial,
  { speeds = { gpu: 1, threads: 1 }, isIsolated }: Scenario,
): boolean {
  const ways = new Map([
    ["wasm 1", 1],
    ["webgpu", speeds.gpu],
    ...(isIsolated === true ? ([["wasm", speeds.threads]] as const) : []),
  ]);
  const name = provider === "wasm" && numThreads === 1 ? "wasm 1" : provider;
  const own = ways.get(name) ?? Infinity;
  return [...ways].every(([other, speed]) => other === name || own * CLEARLY < speed);
}
