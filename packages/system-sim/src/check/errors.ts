import type { Entry, Ledger } from "../program/ledger.js";
import type { Life } from "../program/play.js";
import { PoisonError } from "../program/function-runs.js";
import type { Scenario } from "../program/scenario.js";
import type { Violation } from "./violation.js";

/** What is known when a call has failed. */
interface Case {
  readonly entry: Entry;
  readonly life: Life;
  readonly scenario: Scenario;
  readonly ledger: Ledger;
  readonly failedAlone: ReadonlySet<number>;
}

/** Whether an error may meet this call. One entry for each code: everything else is nobody's. */
const ALLOWED: Readonly<Record<string, (about: Case) => boolean>> = {
  TIMED_OUT: ({ entry: { options, askedAtMs, settledAtMs } }) =>
    options.timeoutMs !== undefined && (settledAtMs ?? 0) >= askedAtMs + options.timeoutMs - 1e-6,
  SUPERSEDED: ({ entry, ledger }) =>
    entry.options.key !== undefined &&
    [...ledger.entries.values()].some(
      (other) =>
        other.call !== entry.call &&
        other.subject === entry.subject &&
        other.options.key === entry.options.key &&
        other.askedAtMs >= entry.askedAtMs &&
        other.askedAtMs <= (entry.settledAtMs ?? 0),
    ),
  OVERLOADED: ({ life, scenario }) => {
    const { options } = scenario.subjects[life.index]!;
    return "maxQueueSize" in options || "maxLatencyMs" in options;
  },
  DISPOSED: ({ entry, life }) => life.disposedAtMs !== null && life.disposedAtMs <= (entry.settledAtMs ?? 0),
  // An item that a search has left as the only suspect fails without a run of its own.
  INFERENCE_FAILED: ({ entry, failedAlone }) =>
    entry.items.some(({ id, poison }) => poison === "fail" || failedAlone.has(id)),
  OUT_OF_MEMORY: ({ entry, failedAlone }) => entry.items.some(({ id }) => failedAlone.has(id)),
  WORKER_CRASHED: isCulprit,
  WORKER_HUNG: isCulprit,
};

/** A model whose new workers fail too has failed; otherwise the item was alone in a run that ended its worker. */
function isCulprit({ entry, life, failedAlone }: Case): boolean {
  if (life.states.includes("failed")) return true;
  return entry.items.some(({ id, poison }) => poison === "trap" || poison === "hang" || failedAlone.has(id));
}

/** Nobody gets an error that is not the outcome of what happened to that call. */
export function checkErrors(about: Case): Violation[] {
  const { entry, life } = about;
  const { outcome, call, reason, abortedAtMs } = entry;
  if (outcome === null || !("error" in outcome)) return [];
  const { error } = outcome;
  if (error === reason) {
    if (abortedAtMs !== null) return [];
    return [{ rule: "errors", what: `call ${call} got the reason of its signal, which has not aborted` }];
  }
  const cause = rootOf(error);
  if (cause === reason && abortedAtMs !== null) return [];
  const { stuck, failedAlone } = life.runs;
  const mayFail = entry.items.some(({ id, poison }) => poison !== undefined || failedAlone.has(id) || stuck.has(id));
  if (cause instanceof PoisonError && mayFail) return [];
  const code = codeOf(cause) ?? codeOf(error);
  if (code !== null && ALLOWED[code]?.(about)) return [];
  return [{ rule: "errors", what: `call ${call} got ${code ?? ""} ${String(error)}, which is not its own` }];
}

/** A list rejects with an error whose cause is that of its item. */
function rootOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const details: unknown = Reflect.get(error, "details");
  const isOfList = typeof details === "object" && details !== null && "index" in details;
  return isOfList && error.cause !== undefined ? error.cause : error;
}

function codeOf(error: unknown): string | null {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : null;
  return typeof code === "string" ? code : null;
}
